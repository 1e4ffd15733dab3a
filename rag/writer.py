"""The optional chat model: the only import of LangChain's chat models.

Answering needs none. `langchain` is imported when a model is opened, and not before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rag.errors import ChatModelError
from rag.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_EXTRAS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google_genai": "google",
    "ollama": "ollama",
}
"""RulesPal's extra with the package of a LangChain provider."""
_EXAMPLE = "such as openai:gpt-5-mini or, on this computer, ollama:llama3.2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a chat model wrote."""

    text: str
    """Data: never run, never obeyed, never shown as the words of a text."""
    tokens_in: int | None = None
    """As the model counts them; None where it does not tell."""
    tokens_out: int | None = None


class ChatModel(Protocol):
    """What is needed of a chat model."""

    @property
    def name(self) -> str:
        """As it is configured."""
        ...

    def complete(self, prompt: str) -> Reply:
        """Its reply to a prompt.

        Raises:
            ChatModelError: it does not answer.
        """
        ...


class LangChainModel:
    """Any chat model of LangChain."""

    def __init__(self, model: BaseChatModel, name: str) -> None:
        self._model = model
        self._name = name

    @property
    def name(self) -> str:
        """As it is configured."""
        return self._name

    def complete(self, prompt: str) -> Reply:
        """Its reply to a prompt.

        Raises:
            ChatModelError: it does not answer.
        """
        try:
            message = self._model.invoke(prompt)
        except Exception as error:  # each provider has errors of its own
            raise ChatModelError(
                f"The chat model {self._name} did not answer ({_short(error)}); look at its key, "
                f"its name and the connection, and try again."
            ) from error
        usage = message.usage_metadata
        return Reply(
            text=str(message.text),
            tokens_in=usage["input_tokens"] if usage else None,
            tokens_out=usage["output_tokens"] if usage else None,
        )


def open_chat_model(settings: Settings) -> ChatModel:
    """The configured chat model, not asked yet.

    Raises:
        ChatModelError: none is configured, a package is missing, or it can't be opened.
    """
    name = settings.chat_model.strip()
    if not name:
        raise ChatModelError(
            f"No chat model is configured; set RULESPAL_CHAT_MODEL to provider:name, {_EXAMPLE}."
        )
    try:
        from langchain.chat_models import init_chat_model
    except ImportError as error:
        raise ChatModelError(
            f"The chat model {name} needs the package langchain; run {_install(name)}."
        ) from error
    try:
        return LangChainModel(init_chat_model(name), name)
    except ImportError as error:
        raise ChatModelError(
            f"The chat model {name} needs a package that is missing ({_short(error)}); run "
            f"{_install(name)}."
        ) from error
    except Exception as error:  # each provider has errors of its own
        raise ChatModelError(
            f"The chat model {name} can't be opened ({_short(error)}); mend that, or set "
            f"RULESPAL_CHAT_MODEL to another provider:name, {_EXAMPLE}."
        ) from error


def _install(name: str) -> str:
    extra = _EXTRAS.get(_provider(name))
    if extra:
        return f'`pip install ".[{extra}]"` in the folder of RulesPal'
    return "`pip install langchain` and install LangChain's package of that provider"


def _provider(name: str) -> str:
    return name.partition(":")[0].lower().replace("-", "_")


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__
