"""The service: from a question to a cited, graded answer.

`answer` holds the road, `engine` what it needs, `records` the types that travel on it.
This package knows no files of a corpus, no HTTP and no pages, and re-exports nothing, so that
importing `rag.records` loads no heavy library.
"""
