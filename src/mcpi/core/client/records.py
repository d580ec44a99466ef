"""JSON objects whose members are also attributes, for Python programs."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self, dataclass_transform

from mcpi.core.flags.declare import camel_case

_REQUIRED = object()


class _Empty:
    """A default that is a new empty value each time."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory


def empty(*, factory: Callable[[], Any]) -> Any:  # noqa: ANN401 - the annotation of the record has the type
    """Declare a member whose default is a new empty value."""
    return _Empty(factory)


class _Member:
    """An attribute that reads a member of the object."""

    def __init__(self, key: str, default: object) -> None:
        self.key = key
        self.default = default

    def __get__(self, owner: "Record | None", _: type) -> Any:  # noqa: ANN401 - the annotation of the record has the type
        if owner is None:
            return self
        if self.key not in owner and self.default is _REQUIRED:
            raise AttributeError(f"{type(owner).__name__} has no member {self.key!r}")
        if isinstance(self.default, _Empty):
            return owner.get(self.key) or self.default.factory()
        return owner.get(self.key, self.default)

    def __set__(self, owner: "Record", value: object) -> None:
        raise AttributeError(f"{self.key} cannot be set")


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(empty,))
class Record(dict[str, Any]):
    """A JSON object whose members are also attributes: `input_schema` is the member `inputSchema`.

    A record is a dict, so `json.dumps` writes it as it is. Members that mcpi does not know are kept.
    """

    _defaults: ClassVar[Mapping[str, object]] = {}

    def __init_subclass__(cls) -> None:
        """Replace the annotated names with attributes that read the members."""
        defaults = dict(cls._defaults)
        for name in cls.__annotations__:
            default = cls.__dict__.get(name, _REQUIRED)
            setattr(cls, name, _Member(camel_case(name), default))
            if not isinstance(default, _Empty) and default is not _REQUIRED and default is not None:
                defaults[camel_case(name)] = default
        cls._defaults = defaults

    def __init__(self, **members: Any) -> None:  # noqa: ANN401 - type checkers know the fields of each record
        """Build the object from its members, named like the attributes."""
        super().__init__(self._defaults)
        self.update({camel_case(name): value for name, value in members.items()})

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Self:
        """Build the record from a JSON object, which is kept as it is."""
        record = cls.__new__(cls)
        record.update(members)
        return record

    def __repr__(self) -> str:
        """Show the name of the record and its members."""
        return f"{type(self).__name__}({super().__repr__()})"


def _missing_attribute(record: Record, name: str) -> object:
    """Say which attribute reads the member, or how to read a member without an attribute."""
    if hasattr(type(record), name):
        # A property raised the error: raise it again.
        return object.__getattribute__(record, name)
    public = (one for one in dir(record) if not one.startswith("_"))
    right = next((one for one in public if camel_case(one) == name), f"[{name!r}]" if name in record else "")
    hint = f"; use {right}" if right else ""
    raise AttributeError(f"{type(record).__name__} has no attribute {name!r}{hint}")


# If the class declared the method, type checkers would accept every attribute.
setattr(Record, "__getattr__", _missing_attribute)  # noqa: B010
