"""`describe`: what Home Assistant needs to find, and the same bytes as long as nothing has changed."""

from __future__ import annotations

import asyncio

from wyoming.info import Attribution, Describe, Info, TtsProgram, TtsVoice

from tests.protocol.fake_synthesizer import FakeSynthesizer, voice_info
from tests.protocol.helpers import WAIT_S, client, raw, read_until, send, serving
from wyoming_pocket_tts.wyoming_server import WyomingServer


async def _info(server: WyomingServer) -> Info:
    async with client(server) as wyoming:
        await send(wyoming, Describe())
        (event,) = await read_until(wyoming, "info")
    return Info.from_event(event)


async def test_info_has_all_that_the_wyoming_package_would_send() -> None:
    async with serving(FakeSynthesizer(), version="0.1.0") as server:
        info = await _info(server)
        attribution = Attribution("Tests", "https://example.org/voices")
        expected = Info(
            tts=[
                TtsProgram(
                    name="pocket-tts",
                    attribution=Attribution("Kyutai", "https://github.com/kyutai-labs/pocket-tts"),
                    installed=True,
                    description="Pocket TTS",
                    version="0.1.0",
                    supports_synthesize_streaming=True,
                    voices=[
                        TtsVoice("anna", attribution, True, "anna (test)", "1", ["en"]),
                        TtsVoice("berta", attribution, True, "berta (test)", "1", ["de", "fr"]),
                    ],
                )
            ]
        )
        assert info == expected
        async with client(server) as wyoming:
            await send(wyoming, Describe())
            (event,) = await read_until(wyoming, "info")
        assert event.data == expected.event().data


async def test_the_bytes_are_the_same_until_the_voices_change() -> None:
    synthesizer = FakeSynthesizer()
    async with serving(synthesizer) as server:
        async with raw(server) as connection:
            await connection.event("describe")
            first = await connection.reader.read(65_536)
        for _ in range(3):
            async with raw(server) as connection:
                await connection.event("describe")
                assert await connection.reader.read(65_536) == first
        assert server.info() is server.info(), "encoded once"
        synthesizer.voice_list.append(voice_info("clara", "en"))
        assert [voice.name for voice in (await _info(server)).tts[0].voices] == [
            "anna",
            "berta",
            "clara",
        ]


async def test_home_assistant_describes_on_a_connection_of_its_own_and_closes_it() -> None:
    async with serving(FakeSynthesizer()) as server:
        for _ in range(5):
            await _info(server)
        await asyncio.sleep(0.05)
        assert not server._connections


async def test_many_describes_that_nobody_reads_stay_in_bounds() -> None:
    synthesizer = FakeSynthesizer()
    synthesizer.voice_list = [voice_info(f"voice {number}", "en") for number in range(200)]
    async with serving(synthesizer) as server, raw(server) as connection:
        connection.writer.transport.set_write_buffer_limits(high=1 << 20)
        connection.reader._transport.pause_reading()  # type: ignore[attr-defined]
        connection.writer.write(b'{"type": "describe"}\n' * 1_500)
        await asyncio.sleep(0.3)
        (served,) = server._connections
        assert served.link.unsent_bytes < 262_144 + len(server.info()) + 65_536
        async with client(server) as wyoming:
            await send(wyoming, Describe())
            await asyncio.wait_for(read_until(wyoming, "info"), WAIT_S)
        connection.reader._transport.resume_reading()  # type: ignore[attr-defined]
        for _ in range(1_500):
            assert (await connection.read_event())[0] == "info"
