"""Acme's rules for epslint: every module here is searched for them."""
