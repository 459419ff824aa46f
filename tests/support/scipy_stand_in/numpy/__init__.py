"""What Google Benchmark's compare.py takes of numpy: an array that can tell whether any element is not 0."""


class array(list):
    def any(self):
        return any(bool(element) for element in self)
