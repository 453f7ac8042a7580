# SPDX-License-Identifier: MIT
class Error(Exception):
    code: int
    message: str
    where: str
    hint: str
    items: list[str]
    def __init__(self, line: str, code: int, message: str, where: str, hint: str,
                 items: list[str]) -> None: ...
