# SPDX-License-Identifier: MIT
"""The one exception of the package."""


class Error(Exception):
    """What netkit refuses: str() is one line, "place: cause".

    code     1 the answer is no, 2 wrong use, 3 bad or unsupported input
    message  the cause
    where    file, node, operator; may be empty
    hint     what to do
    items    each finding where there are several
    """

    def __init__(self, line, code, message, where, hint, items):
        super().__init__(line)
        self.code = code
        self.message = message
        self.where = where
        self.hint = hint
        self.items = items
