"""From answers to figures, as plain data: for a table, for JSON, and for each question by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from .metrics import CUTS, METRICS, all_sides
from .run import SEARCH, Answer, Outcome

UPDATE = "knowledge update"
"""The category of questions about something that was said anew: its sides are the older one and the newer one."""

Figures = dict[str, Any]


def summary(outcome: Outcome) -> Figures:
    """All figures of a run, by ranking and by category."""
    dataset = outcome.dataset
    return {
        "dataset": dataset.name,
        "conversations": len(dataset.talks),
        "turns": sum(len(talk.said) for talk in dataset.talks),
        "questions": len(dataset.questions),
        "left_out": dataset.left_out,
        "embedder": outcome.embedder,
        "rankings": {name: _by_category(answers) for name, answers in outcome.answers.items()},
    }


def _by_category(answers: Sequence[Answer]) -> dict[str, Figures]:
    """The figures of each category, of all that count, and where some do not, of those too."""
    counted = [answer for answer in answers if not answer.question.aside]
    groups: dict[str, list[Answer]] = {}
    for answer in sorted(answers, key=lambda answer: answer.question.category):
        groups.setdefault(answer.question.category, []).append(answer)
    if counted and len(groups) > 1:
        groups["all"] = counted
    if 0 < len(counted) < len(answers):
        aside = sorted({answer.question.category for answer in answers if answer.question.aside})
        groups["all"] = counted
        groups[f"all, with {', '.join(aside)}"] = list(answers)
    return {name: figures(group) for name, group in groups.items()}


def figures(answers: Sequence[Answer]) -> Figures:
    """The means over some answers. `both_sides` counts those, of the answers with several sides, that have all."""
    out: Figures = {"questions": len(answers)}
    for name, metric in METRICS.items():
        out[name] = {
            str(k): round(sum(metric(one.found, one.question.evidence, k) for one in answers) / len(answers), 4)
            for k in CUTS
        }
    parted = [one for one in answers if len(one.question.sides) > 1]
    if parted:
        found = {str(k): int(sum(all_sides(one.found, one.question.sides, k) for one in parted)) for k in CUTS}
        out["both_sides"] = {"of": len(parted), **found}
    updates = [one for one in parted if one.question.category == UPDATE and one.hits]
    if updates:
        out["newer_told"] = {"of": len(updates), "within 10": sum(map(_newer_told, updates))}
    return out


def _newer_told(answer: Answer) -> bool:
    """Whether both sides of what was updated are within ten, and the older one is told to have a newer figure."""
    older, newer = answer.question.sides[0], answer.question.sides[-1]
    first = dict(zip(answer.found[:10], answer.hits, strict=False))
    marked = any(first[key].newer for key in first if key in older)
    return marked and any(key in newer for key in first)


HEADS = ["", "questions", *(f"{name}@{k}" for name in ("R", "hit", "MRR") for k in CUTS)]


def rows(by_category: dict[str, Figures]) -> list[list[str]]:
    """The figures as rows of a table under HEADS: recall and hit in per cent."""
    return [
        [
            name,
            str(one["questions"]),
            *(f"{100 * one[metric][str(k)]:.1f}" for metric in ("recall", "hit") for k in CUTS),
            *(f"{one['mrr'][str(k)]:.3f}" for k in CUTS),
        ]
        for name, one in by_category.items()
    ]


DELTA_HEADS = ["", "R@1", "R@5", "R@10", "R@20", "hit@1", "MRR@20"]


def delta_rows(rankings: dict[str, dict[str, Figures]]) -> Iterator[list[str]]:
    """Each ranking over all that counts: the search as it comes, and by how much each other differs from it."""

    def figures_of(name: str) -> list[float]:
        of = rankings[name]
        one = of["all"] if "all" in of else next(iter(of.values()))
        percents = [100 * one["recall"][str(k)] for k in CUTS] + [100 * one["hit"]["1"]]
        return [*percents, one["mrr"][str(max(CUTS))]]

    own = figures_of(SEARCH)
    yield [SEARCH, *(f"{value:.1f}" for value in own[:-1]), f"{own[-1]:.3f}"]
    for name in rankings:
        if name != SEARCH:
            deltas = [other - value for other, value in zip(figures_of(name), own, strict=True)]
            yield [name, *(f"{delta:+.1f}" for delta in deltas[:-1]), f"{deltas[-1]:+.3f}"]


def each_question(outcome: Outcome) -> Iterator[Figures]:
    """Every question with what was found for it, and what each step of the ranking gave, to see where it fails."""
    texts = {talk.name: {said.key: said.text for said in talk.said} for talk in outcome.dataset.talks}
    for place, answer in enumerate(outcome.answers[SEARCH]):
        question = answer.question
        evidence = sorted(question.evidence)
        yield {
            "dataset": outcome.dataset.name,
            "id": question.id,
            "conversation": question.talk,
            "category": question.category,
            "question": question.text,
            "evidence": {key: texts[question.talk][key] for key in evidence},
            "recall": {str(k): round(METRICS["recall"](answer.found, evidence, k), 4) for k in CUTS},
            "rank": {key: answer.found.index(key) + 1 if key in answer.found else None for key in evidence},
            "found": [
                {"key": key, "score": hit.score, "text": hit.text, "gate": asdict(hit.gate), "steps": dict(hit.explain)}
                for key, hit in zip(answer.found, answer.hits, strict=True)
            ],
            "others": {name: rest[place].found for name, rest in outcome.answers.items() if name != SEARCH},
        }
