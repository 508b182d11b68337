"""The tests, a package of their own name: crapssim, to which craps is compared, installs one called `tests` as well."""
