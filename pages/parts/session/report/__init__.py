"""Parts of the Report screen."""
