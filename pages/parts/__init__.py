"""Parts of the screens, one folder per screen; `shared` has what several draw."""
