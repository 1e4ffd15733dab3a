"""From a folder of texts to passages in the store.

The way is manifest, load, structure, chunks or faq, texts, pipeline.
"""
