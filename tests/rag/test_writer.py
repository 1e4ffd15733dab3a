import sys
from types import ModuleType

import pytest

from rag.errors import ChatModelError
from rag.settings import Settings
from rag.writer import LangChainModel, Reply, open_chat_model


class Message:
    def __init__(self, text, usage=None):
        self.text = text
        self.usage_metadata = usage


class Chat:
    """Has the one method of LangChain's chat models that is used."""

    def __init__(self, message):
        self.message = message

    def invoke(self, prompt):
        if isinstance(self.message, Exception):
            raise self.message
        return self.message


@pytest.fixture
def langchain(monkeypatch):
    """Put a module in the place of langchain, whose `init_chat_model` does as it is told."""

    def put(init):
        module = ModuleType("langchain.chat_models")
        module.init_chat_model = init
        monkeypatch.setitem(sys.modules, "langchain", ModuleType("langchain"))
        monkeypatch.setitem(sys.modules, "langchain.chat_models", module)

    return put


def raising(error):
    def init(name):
        raise error

    return init


def test_a_configured_model_is_opened_by_its_name_and_asked(langchain):
    asked = []
    usage = {"input_tokens": 12, "output_tokens": 3, "total_tokens": 15}
    langchain(lambda name: asked.append(name) or Chat(Message("Aye.", usage)))
    model = open_chat_model(Settings(chat_model="ollama:llama3.2"))
    assert model.name == "ollama:llama3.2"
    assert model.complete("Well?") == Reply(text="Aye.", tokens_in=12, tokens_out=3)
    assert asked == ["ollama:llama3.2"]


def test_a_model_need_not_count_its_tokens():
    model = LangChainModel(Chat(Message("Aye.")), "x:y")
    assert model.complete("Well?") == Reply(text="Aye.")


def test_langchains_own_models_fit():
    fakes = pytest.importorskip("langchain_core.language_models.fake_chat_models")
    model = LangChainModel(fakes.FakeListChatModel(responses=["Aye."]), "fake:list")
    assert model.complete("Well?") == Reply(text="Aye.")


def test_a_model_that_does_not_answer_is_an_error_of_ours():
    model = LangChainModel(Chat(TimeoutError("timed\nout")), "x:y")
    with pytest.raises(ChatModelError, match=r"^The chat model x:y did not answer \(timed out\); "):
        model.complete("Well?")


@pytest.mark.parametrize("name", ["", "  "])
def test_without_a_model_it_is_told_how_to_configure_one(name):
    told = "No chat model is configured; set RULESPAL_CHAT_MODEL to provider:name, such as openai:"
    with pytest.raises(ChatModelError, match=told):
        open_chat_model(Settings(chat_model=name))


@pytest.mark.parametrize(
    ("name", "mend"),
    [
        ("openai:x", r'`pip install "\.\[openai\]"`'),
        ("anthropic:x", r'`pip install "\.\[anthropic\]"`'),
        ("google_genai:x", r'`pip install "\.\[google\]"`'),
        ("google-genai:x", r'`pip install "\.\[google\]"`'),
        ("ollama:x:7b", r'`pip install "\.\[ollama\]"`'),
        ("mistralai:x", r"`pip install langchain` and install LangChain's package of that"),
    ],
)
def test_without_langchain_the_extra_is_named(monkeypatch, name, mend):
    monkeypatch.setitem(sys.modules, "langchain", None)
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)
    with pytest.raises(ChatModelError, match=f"{name} needs the package langchain; run {mend}"):
        open_chat_model(Settings(chat_model=name))


def test_without_the_providers_package_the_extra_is_named(langchain):
    langchain(raising(ImportError("requires the langchain-openai package")))
    told = r'missing \(requires the langchain-openai package\); run `pip install "\.\[openai\]"`'
    with pytest.raises(ChatModelError, match=told):
        open_chat_model(Settings(chat_model="openai:x"))


@pytest.mark.parametrize("error", [ValueError("Unable to infer"), RuntimeError("no key")])
def test_a_model_that_cannot_be_opened_is_an_error_of_ours(langchain, error):
    langchain(raising(error))
    with pytest.raises(ChatModelError, match=rf"can't be opened \({error}\); mend that, or set"):
        open_chat_model(Settings(chat_model="x:y"))
