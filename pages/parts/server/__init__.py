"""The guards before the screens: security headers, sign-in, downloads."""
