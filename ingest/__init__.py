"""From a folder of texts to passages in the store: manifest, load, structure, chunks, faq, pipeline."""
