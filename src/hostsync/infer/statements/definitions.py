"""Statements that define functions and classes, or import them."""

from __future__ import annotations

from hostsync import facts
from hostsync.infer.context import ClassInfo, symbol_of
from hostsync.infer.frame import EXECUTORS, Frame, evaluate, execute
from hostsync.infer.generated import constructor
from hostsync.infer.hints.annotations import from_annotation
from hostsync.infer.hints.imported import known_as
from hostsync.infer.linking.plain import is_at_top, is_foreign
from hostsync.infer.values import UNKNOWN, Callable, ClassRef, Instance, Items, Nothing, Ref, Unknown, Value


def _import(frame: Frame, node: facts.Import) -> bool:
    module = node.module
    links = frame.context.links
    if node.alias == "*":
        for name, value in links.starred(node) if links is not None else ():
            _bind_linked(frame, name, value)
        return True
    if links is not None:
        linked = links.imported(node)
        if linked is not None:
            _bind_linked(frame, node.alias, linked)
            return True
    if node.name is None:
        frame.bind(node.alias, Ref(known_as(module)))
    else:
        frame.bind(node.alias, Ref(known_as(f"{module}.{node.name}")))
    return True


def _bind_linked(frame: Frame, name: str, value: Value) -> None:
    """Bind what another module of the project defines, or has from torch and passes on."""
    context = frame.context
    if not context.uses_torch and frame.symbol == "<module>":
        context.uses_torch = context.links is not None and context.links.library.speaks_of_torch(value)
    frame.bind(name, value)


def _scope(frame: Frame, node: facts.Scope) -> bool:
    return True


def _function(frame: Frame, node: facts.Function) -> bool:
    owner = "" if frame.symbol == "<module>" else frame.symbol
    symbol = symbol_of(node, owner, frame.context.functions.get(f"{owner}.{node.name}" if owner else node.name))
    for decorator in node.decorators:
        evaluate(frame, decorator)
    _defaults(frame, node)
    callee = Callable(node, symbol, None, None)
    if frame.symbol != "<module>":
        frame.context.closures[symbol] = frame.env
    frame.bind(node.name, callee)
    frame.context.functions[symbol] = node
    if frame.symbol == "<module>":
        _leave_open(frame, node)
    if symbol not in frame.context.followed and frame.events is not None:
        frame.context.followed.add(symbol)
        frame.context.follow_later(callee)
    return True


def _leave_open(frame: Frame, node: facts.Function) -> None:
    """`device = None` at the top says nothing of a name that a function with `global device` sets."""
    for statement in node.body:
        if isinstance(statement, facts.Scope) and statement.kind == "global":
            for name in statement.names:
                if isinstance(frame.env.get(name), Nothing):
                    frame.bind(name, UNKNOWN)


def _defaults(frame: Frame, node: facts.Function) -> None:
    """Defaults are evaluated where a function is defined; a lambda among them waits when it is called."""
    for param in node.params:
        if isinstance(param.default, (facts.Lambda, facts.Call)):
            evaluate(frame, param.default)


def _class(frame: Frame, node: facts.Class) -> bool:
    with frame.silently():
        bases = tuple(evaluate(frame, base) for base in node.bases)
    return define_class(frame, node, bases)


def define_class(frame: Frame, node: facts.Class, bases: tuple[Value, ...]) -> bool:
    """Take up a class that is derived from `bases`."""
    name = node.name if frame.symbol == "<module>" else f"{frame.symbol}.{node.name}"
    context = frame.context
    if name in context.classes:
        frame.bind(node.name, ClassRef(name))
        return True
    info = ClassInfo(name, node, bases)
    if context.links is not None and any(
        isinstance(b, ClassRef) and context.links.library.is_of_torch(b.name) for b in bases
    ):
        context.uses_torch = True
    above = [context.class_named(base.name) for base in bases if isinstance(base, ClassRef)]
    made = constructor(node, bases, [known for known in above if known is not None])
    if made is not None:
        info.methods["__init__"] = made
    context.classes[name] = info
    context.lineages.clear()
    context.functions.update({f"{name}.{method.name}": method for method in info.methods.values()})
    if frame.symbol != "<module>":
        context.closures[name] = frame.env
    frame.bind(node.name, ClassRef(name))
    for statement in node.body:
        if isinstance(statement, facts.Assign):
            _class_attribute(frame, info, statement)
        elif isinstance(statement, facts.Class):
            saved = frame.symbol
            frame.symbol = name
            outer = frame.env.get(statement.name)
            _class(frame, statement)
            info.attributes[statement.name] = frame.env[statement.name]
            frame.symbol = saved
            if outer is not None:
                frame.env[statement.name] = outer
    if frame.events is not None:
        _class_body(frame, node)
        for method in (*info.methods.values(), *info.others):
            _defaults(frame, method)
            symbol = symbol_of(method, name, info.methods[method.name])
            context.functions[symbol] = method
            context.follow_later(Callable(method, symbol, Instance(name, True), name))
    return True


def _class_body(frame: Frame, node: facts.Class) -> None:
    """What runs once, where the class is defined; the names that it binds are the class's own."""
    runs = [statement for statement in node.body if not isinstance(statement, (facts.Function, facts.Class))]
    if any(map(_calculates, runs)):
        state = frame.save()
        execute(frame, tuple(runs))
        frame.restore(state)


def _calculates(statement: facts.Stmt) -> bool:
    """More than a text, a constant or another name."""
    if isinstance(statement, (facts.Assign, facts.ExprStmt)):
        return not isinstance(statement.value, (facts.Const, facts.Name, facts.Attr, type(None)))
    return not isinstance(statement, facts.Jump)


def _class_attribute(frame: Frame, info: ClassInfo, statement: facts.Assign) -> None:
    value: Value = UNKNOWN
    with frame.silently():
        if statement.value is not None:
            value = evaluate(frame, statement.value)
        if statement.annotation is not None and isinstance(value, (Unknown, Items, Nothing)):
            promised = from_annotation(statement.annotation, lambda expr: evaluate(frame, expr))
            if isinstance(value, Nothing):
                # The default of a field says nothing of what an instance is made with.
                value = UNKNOWN
            value = promised if promised is not None and isinstance(value, Unknown) else value
    for target in statement.targets:
        if isinstance(target, facts.Name):
            info.attributes[target.id] = value
            if frame.symbol == "<module>" and isinstance(value, Callable) and is_at_top(value):
                _method_by_value(frame, info, target.id, value)


def _method_by_value(frame: Frame, info: ClassInfo, name: str, function: Callable) -> None:
    """`forward = function` in the body of a class: a function of the module that is a method by that name.

    Not of a class that a function defines: that function may be the one, so that there would be no end of classes.
    """
    if not is_foreign(function.symbol) and name not in info.methods and isinstance(function.node, facts.Function):
        method = function.node._replace(name=name)
        info.methods[name] = method
        frame.context.functions[f"{info.name}.{name}"] = method


EXECUTORS[facts.Function] = _function
EXECUTORS[facts.Class] = _class
EXECUTORS[facts.Import] = _import
EXECUTORS[facts.Scope] = _scope
