"""Processes that measure stand apart from the one that started them, and end with it."""

import asyncio
import os

from evaluator.measuring.rig.own_process import own_process


async def test_ctrl_c_does_not_reach_it_and_it_ends_with_the_block() -> None:
    async with own_process(asyncio.StreamReader.read) as process:
        assert os.getpgid(process.pid) == process.pid != os.getpgrp()
    assert process.returncode == 0
