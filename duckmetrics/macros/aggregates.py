"""stub"""
def aggregate_macros(catalog): return []
