"""Phrases that instruct the model, as regular expressions, which are compiled on demand."""


def _any(words: str) -> str:
    """Build a group of alternatives; `~` stands for a space inside one."""
    return f"(?:{'|'.join(words.split()).replace('~', ' ')})"


TAKING = frozenset(
    str.split("read open cat load fetch access retrieve get copy extract collect find dump include attach append")
)
PASSING = frozenset(
    str.split(
        "include pass send put provide append attach forward insert add upload exfiltrate paste copy submit post"
        " transmit leak embed supply write"
    )
)
CONCEALING = frozenset(
    str.split(
        "not don't never mustn't shouldn't don\u2019t mustn\u2019t shouldn\u2019t avoid without no refrain hide conceal"
        " keep withhold silently secretly covertly quietly"
    )
)
CONCEALED = frozenset(
    str.split(
        "user users human humans operator anyone anybody person customer this that these it any secret hidden"
        " confidential between silently secretly covertly quietly"
    )
)
OVERRIDING = frozenset(str.split("ignore disregard forget override bypass now instruction instructions precedence"))
MODAL = frozenset(
    str.split("always must first before instead after then immediately should need required sure prior when whenever")
)
CALLING = frozenset(str.split("call calling use using invoke invoking run running execute trigger"))
SECRET_MARKS = tuple(
    str.split(
        "ssh passw credential secret _rsa ed25519 dsa .env .aws .kube .docker .gnupg mcp.json desktop_config netrc"
        " shadow pgpass npmrc pypirc _history token key cookie environment prompt conversation history messages seed"
    )
)
"""Parts of words; each text about secrets contains at least one of them."""

_GAP = r"(?:[^.!?\n]|\.(?=\S))"
_TAKE, _PASS = _any(" ".join(sorted(TAKING))), _any(" ".join(sorted(PASSING)))
_PRIVATE_FILE = (
    r"(?:(?:~|\$HOME|%USERPROFILE%|/root|/home/[^/\s]+)?/?\.(?:ssh|aws|gnupg|kube|docker)\b[/\\\w.]*"
    r"|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|/etc/(?:passwd|shadow)\b"
    r"|\.(?:netrc|pgpass|npmrc|pypirc|git-credentials|bash_history|zsh_history)\b"
    r"|\bmcp\.json\b|claude_desktop_config\.json|\.env\b(?!\.example))"
)
_PRIVATE_WORD = (
    r"(?:(?:api|access|auth|bearer|session|private|ssh|secret|encryption)[ _-]?(?:keys?|tokens?)|passwords?"
    r"|credentials|secrets|seed phrase|cookies|environment variables|system prompt|conversation(?: history)?"
    r"|chat history|previous messages)"
)
_OWNERS = (
    r"(?:(?:the|all|any|your|their|user'?s?|full|entire|complete|contents?|of|its|every)\s+){1,6}(?:[\w'-]+\s+){0,2}"
)
SECRETS = (
    rf"\b(?:{_TAKE}|{_PASS})\b{_GAP}{{0,80}}?{_PRIVATE_FILE}",
    rf"\b{_PASS}\s+{_OWNERS}{_PRIVATE_WORD}{_GAP}{{0,60}}?\b(?:as|in|into|to|with|via|through)\b",
    rf"\b(?:before|when|after|first|always|must|please)\b{_GAP}{{0,60}}\b{_TAKE}\s+{_OWNERS}{_PRIVATE_WORD}",
)
_NOT = "(?:not|n['\u2019]t)"
_NEVER = rf"(?:(?:do|does|must|should)\s?{_NOT}|never|avoid|without|no need to|refrain from)\s+(?:ever\s+)?"
_TELL = _any(
    "tell telling mention mentioning inform informing notify notifying reveal revealing disclose disclosing alert"
    " alerting let show showing report reporting explain explaining say saying"
)
_PEOPLE = _any("the~user users the~human humans the~operator anyone anybody the~person the~customer")
CONCEALMENT = (
    rf"\b{_NEVER}{_TELL}\b{_GAP}{{0,40}}?\b{_PEOPLE}\b(?!\s+(?:for|to\s+(?:provide|confirm|enter)))",
    rf"\b{_NEVER}(?:mention|reveal|disclose|talk about|refer to)\s+(?:this|that|these|it|any of)\b",
    rf"\b(?:hide|conceal|keep|withhold)\b{_GAP}{{0,60}}?\bfrom\s+{_PEOPLE}\b",
    rf"{_PEOPLE}\s+(?:must|should|need)\s?{_NOT}\s+(?:be\s+)?(?:know|see|told|aware|notice|informed|find out)",
    r"\bkeep\s+(?:this|it|that)\s+(?:a\s+)?(?:secret|hidden|confidential|between us)\b",
    rf"\b(?:silently|secretly|covertly|quietly)\s+(?:{_PASS}|{_TAKE}|call|invoke|log)\b",
)
_FORGET = r"(?:ignore|disregard|forget|override|bypass)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|other|existing|system|safety|original)"
_RULES = r"(?:instructions?|prompts?|rules?|guidelines?|messages?|directions?|policies|policy)"
OVERRIDES = (
    rf"\b{_FORGET}\s+(?:(?:all|any|the|your|every|of|other|these|those)\s+){{0,4}}{_EARLIER}\s+(?:\w+\s+)?{_RULES}",
    rf"\b{_FORGET}\s+(?:everything|anything|all)\s+(?:you|above|before|that came)",
    r"\byou are now (?:a|an|in|the)\b|\bnew (?:system )?instructions?:",
    rf"\btakes? precedence over (?:all|any|the)\b{_GAP}{{0,30}}\binstructions?",
)
MARKUP = (
    r"<!--.*?-->|<\s*/?\s*(?:important|system|secret|hidden|instructions?|critical|admin|sys)\s*>"
    r"|\[(?:system|hidden|inst)\]|<\|im_(?:start|end)\|>"
)
CALLS = (
    r"\b(?:always|must|first|before|instead of|after|then|immediately|should|need to|required to|make sure to"
    rf"|be sure to)\b{_GAP}{{0,60}}?\b(?:call|use|using|invoke|run|execute|trigger)\b\s+"
    r"(?:the\s+|this\s+tool\s+and\s+)?[`'\"]?(?P<name>[\w-]+)"
)
ANY_TOOL = (
    r"\b(?:before|after|when|whenever|prior to)\s+(?:you\s+)?(?:use|using|call|calling|invoke|invoking|run|running)\s+"
    r"(?:any|all|each|every|other|another)\s+(?:other\s+)?tools?\b"
)
