"""Which model to suggest to a user whose environment already holds a provider's key."""

from __future__ import annotations

from collections.abc import Mapping

MODELS = (
    ("ANTHROPIC_API_KEY", "anthropic/claude-sonnet-4-6"),
    ("OPENAI_API_KEY", "openai/gpt-5.4-mini"),
    ("GEMINI_API_KEY", "gemini/gemini-flash-latest"),
    ("MISTRAL_API_KEY", "mistral/mistral-small-latest"),
    ("DEEPSEEK_API_KEY", "deepseek/deepseek-v4-flash"),
    ("GROQ_API_KEY", "groq/openai/gpt-oss-120b"),
    ("DASHSCOPE_API_KEY", "dashscope/qwen-plus"),
    ("MOONSHOT_API_KEY", "moonshot/kimi-k2.6"),
    ("ZAI_API_KEY", "zai/glm-4.7"),
    ("OPENROUTER_API_KEY", "openrouter/anthropic/claude-sonnet-4.6"),
    ("TOGETHERAI_API_KEY", "together_ai/openai/gpt-oss-120b"),
)
"""A model that calls tools, for each variable that litellm takes a key from. The first that is set wins."""


def suggested_model(environ: Mapping[str, str]) -> str | None:
    """The model string to suggest, or None where no provider's key is set."""
    return next((model for variable, model in MODELS if environ.get(variable, "").strip()), None)
