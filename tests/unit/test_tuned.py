"""Measurements: made once, remembered with the machine, made again when they do not fit."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from tests import tiny
from wyoming_pocket_tts.engine.attention import ATTENTION
from wyoming_pocket_tts.engine.kernels import KERNELS, KernelPlan, available
from wyoming_pocket_tts.engine.tuning import Measurement, choose_kernels, choose_split
from wyoming_pocket_tts.engine.worker import Split
from wyoming_pocket_tts.models import tuned as module
from wyoming_pocket_tts.models.tuned import EXACT, QUANTISED, Tuned, machine_identity


def test_choice_is_among_the_allowed_kernels() -> None:
    seen: list[Measurement] = []
    plan = choose_kernels(
        tiny.config(), ["exact", "int8"], ["exact"], ["exact"], ["exact", "bf16"], seen.append
    )
    allowed = {"exact", *(name for name in KERNELS if KERNELS[name].accuracy == "int8")}
    assert plan.transformer in allowed
    assert (plan.head, plan.codec) == ("exact", "exact")
    assert plan.attention in ATTENTION
    assert {"attention, weighted cost with exact", "attention, weighted cost with bf16"} <= {
        one.what for one in seen
    }
    if available("int8"):
        measured = [one.what for one in seen]
        assert "FlowLM, weighted cost with exact" in measured
        assert "FlowLM, weighted cost with int8" in measured
        fastest = min(
            (one for one in seen if one.what.startswith("FlowLM")), key=lambda one: one.milliseconds
        )
        assert fastest.what == f"FlowLM, weighted cost with {plan.transformer}"


def test_split_is_measured_with_the_engine() -> None:
    seen: list[Measurement] = []
    split = choose_split(tiny.model(), seen.append)
    assert split.threads >= 1
    assert len(seen) >= 1
    assert all(one.milliseconds > 0 for one in seen)
    assert all("time of a whole frame" in one.what for one in seen)


def test_answers_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, split = KernelPlan(codec="float32"), Split(pipeline=False, threads=1)
    calls: list[str] = []
    monkeypatch.setattr(module, "choose_kernels", lambda *_, **__: calls.append("kernels") or plan)
    monkeypatch.setattr(module, "choose_split", lambda *_: calls.append("split") or split)
    for _ in range(2):
        tuned = Tuned(tmp_path, tiny.config(), EXACT)
        assert tuned.plan() == plan
        assert tuned.split(tiny.model()) == split
    assert calls == ["kernels", "split"]
    tuned.forget()
    tuned.plan()
    assert calls[-1] == "kernels"


def test_other_accuracy_model_or_machine_is_another_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[object] = []

    def choose(config: object, **_: object) -> KernelPlan:
        calls.append(config)
        return KernelPlan()

    monkeypatch.setattr(module, "choose_kernels", choose)
    config = tiny.config()
    mimi = dataclasses.replace(
        config.mimi, transformer=dataclasses.replace(config.mimi.transformer, num_layers=3)
    )
    for asked, classes in (
        (config, EXACT),
        (config, QUANTISED),
        (dataclasses.replace(config, mimi=mimi), EXACT),
    ):
        Tuned(tmp_path, asked, classes).plan()
    monkeypatch.setattr(module, "machine_identity", lambda: "another machine")
    Tuned(tmp_path, config, EXACT).plan()
    assert len(calls) == 4


@pytest.mark.parametrize("content", ["", "[]", "{", '{"key": 3}'])
def test_damaged_file_is_measured_again(tmp_path: Path, content: str) -> None:
    (tmp_path / "tuning.json").write_text(content)
    assert isinstance(Tuned(tmp_path, tiny.config(), EXACT).plan(), KernelPlan)
    assert json.loads((tmp_path / "tuning.json").read_text())


def test_unknown_kernel_of_another_release_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "choose_kernels", lambda *_, **__: KernelPlan(transformer="magic"))
    Tuned(tmp_path, tiny.config(), EXACT).plan()
    monkeypatch.setattr(module, "choose_kernels", lambda *_, **__: KernelPlan())
    assert Tuned(tmp_path, tiny.config(), EXACT).plan() == KernelPlan()


def test_machine_is_told_by_processor_cores_and_torch() -> None:
    import torch

    assert f"torch {torch.__version__}" in machine_identity()
