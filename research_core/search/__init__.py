"""Who can be asked: engines, providers, the local library, routing, queries, records, lenses."""
