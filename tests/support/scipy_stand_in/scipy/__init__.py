"""Stands in for scipy where it is not installed: Debian's python3-scipy pulls in Boost 1.74, which conflicts with the
Boost 1.81 that tlsrig is built with. It has the two names that Google Benchmark's compare.py imports, and nothing else."""
