"""What the text front end costs: `python -m bench.text [--seconds S]`, one JSON object a line for each language.

Each text goes through all of it (markup, characters, dictionary step, normalisation, segmentation, preparation) as a request's text does, piece by
piece. "typical" is what a home says in a day, "dense" is numbers and units only. The tokenizer, which is not ours, costs nothing here. `load_1m` is the machine's load average: on a busy machine only the best times mean something, and they are what is given.
"""

from __future__ import annotations

import argparse
import json
import os
import time

from wyoming_pocket_tts.text.front_end import FrontEnd
from wyoming_pocket_tts.text.options import TextOptions, TextRules

TYPICAL = {
    "en": "The washing machine is done. It is 21.5 °C in the living room and 3 °C outside. The front door was opened at 22:05. "
    "You used 12.4 kWh today, which cost €3.10. Don't forget: **bins** go out tomorrow morning. Rain is likely, with a 60% chance of showers.",
    "fr": "La machine à laver a terminé. Il fait 21,5 °C dans le salon et 3 °C dehors. La porte d'entrée a été ouverte à 22h05. "
    "Vous avez consommé 12,4 kWh aujourd'hui, soit 3,10 €. N'oubliez pas : les **poubelles** sortent demain matin. Pluie probable à 60 %.",
    "de": "Die Waschmaschine ist fertig. Im Wohnzimmer sind es 21,5 °C und draußen 3 °C. Die Haustür wurde um 22:05 Uhr geöffnet. "
    "Heute wurden 12,4 kWh verbraucht, das kostet 3,10 €. Nicht vergessen: die **Mülltonnen** kommen morgen raus. Regen mit 60 % Wahrscheinlichkeit.",
    "es": "La lavadora ha terminado. Hay 21,5 °C en el salón y 3 °C fuera. La puerta principal se abrió a las 22:05. "
    "Hoy se han consumido 12,4 kWh, que cuestan 3,10 €. No olvides sacar la **basura** mañana por la mañana. Lluvia probable al 60 %.",
    "it": "La lavatrice ha finito. Ci sono 21,5 °C in soggiorno e 3 °C fuori. La porta d'ingresso è stata aperta alle 22:05. "
    "Oggi hai consumato 12,4 kWh, che costano 3,10 €. Non dimenticare: domani mattina si ritira la **spazzatura**. Pioggia probabile al 60%.",
    "pt": "A máquina de lavar terminou. Estão 21,5 °C na sala e 3 °C lá fora. A porta da frente foi aberta às 22:05. "
    "Hoje foram gastos 12,4 kWh, que custam 3,10 €. Não te esqueças: o **lixo** sai amanhã de manhã. Chuva provável com 60%.",
    "nl": "De wasmachine is klaar. Het is 21,5 °C in de woonkamer en 3 °C buiten. De voordeur ging om 22:05 uur open. "
    "Vandaag is er 12,4 kWh verbruikt, dat kost € 3,10. Vergeet niet: het **afval** gaat morgenochtend naar buiten. Regen met 60% kans.",
}
DENSE = "21.5 °C, 48 %, 1013 hPa, 3.2 m/s, 12.4 kWh, 230 V, 5 A, 22:05, 2024-11-30, €3.10, -4 °C, 450 ppm, 55 km/h, 1/2, 192.168.1.1. "
PIECE = 12


class _FreeTokenizer:
    """A token for four characters."""

    def encode(self, text: str) -> range:
        return range(len(text) // 4 + 1)

    def decode(self, ids: list[int]) -> str:
        raise NotImplementedError

    def knows(self, character: str) -> bool:
        return True


def cost_ms(text: str, language: str, seconds: float) -> float:
    """The best time of one pass, in milliseconds for 100 characters."""
    pieces = [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
    tokenizer = _FreeTokenizer()
    best_s = float("inf")
    until_s = time.perf_counter() + seconds
    while time.perf_counter() < until_s:
        started_s = time.perf_counter()
        front_end = FrontEnd(TextOptions(), TextRules(), tokenizer, language)
        for piece in pieces:
            for segment in front_end.feed(piece):
                front_end.prepare(segment)
        for segment in front_end.flush():
            front_end.prepare(segment)
        best_s = min(best_s, time.perf_counter() - started_s)
    return 1000 * best_s / len(text) * 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="for each text (default 1)")
    seconds = parser.parse_args().seconds
    for language, text in TYPICAL.items():
        result = {
            "bench": "text",
            "language": language,
            "characters": len(text),
            "typical_ms_per_100_characters": round(cost_ms(text, language, seconds), 3),
            "dense_ms_per_100_characters": round(cost_ms(DENSE, language, seconds), 3),
            "load_1m": round(os.getloadavg()[0], 2),
        }
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
