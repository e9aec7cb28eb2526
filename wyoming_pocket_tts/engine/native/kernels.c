/* The engine's hot loops, in C. engine/native/__init__.py loads what is built of them, hatch_build.py builds it. */

/* Changes with every change of what a function takes or gives; VERSION in __init__.py follows. */
int wpt_version(void) { return 1; }
