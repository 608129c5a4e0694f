"""The web as Assay meets it: addresses checked, time and size bounded. Import from the module that
does the job.
"""
