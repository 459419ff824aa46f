import math

from numpy import array


def gmean(rows):
    """The geometric mean of each column; 0 for a column with a 0."""
    columns = list(zip(*rows))
    return array(
        0.0 if 0 in column else math.exp(sum(math.log(value) for value in column) / len(column)) for column in columns)


def mannwhitneyu(*arguments, **options):
    """The rank test is no part of what is tested: compare.py is run with --no-utest where this module is in use."""
    raise NotImplementedError("the rank test needs scipy itself")
