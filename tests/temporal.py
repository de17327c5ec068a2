"""A Temporal server in the process: it has a workflow's activities run, and the workflow replayed.

The real server is a program of its own. What it does for one workflow without timers or signals
is little: note what the workflow asks for, have that done, and replay the workflow with the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_type_hints

from pydantic_ai import Agent
from pydantic_ai.durable_exec.temporal import PydanticAIPlugin
from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import WorkflowHistory
from temporalio.converter import DataConverter
from temporalio.testing import ActivityEnvironment
from temporalio.worker import (
    ExecuteWorkflowInput,
    Interceptor,
    Replayer,
    StartActivityInput,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
    WorkflowOutboundInterceptor,
)
from temporalio.workflow import ActivityHandle

agents: dict[str, Agent[Any, str]] = {}
"""Agents by name, for workflows that are defined before a test knows what to search."""


class Execution(Interceptor):
    """What one replay of a workflow did."""

    def __init__(self) -> None:
        self.asked_for: list[StartActivityInput] = []
        self.ended_with: object = None
        self.has_ended = False

    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,  # noqa: A002 - the SDK's name for it
    ) -> type[WorkflowInboundInterceptor]:
        execution = self

        class Outbound(WorkflowOutboundInterceptor):
            def start_activity(self, input: StartActivityInput) -> ActivityHandle[Any]:  # noqa: A002
                execution.asked_for.append(input)
                return self.next.start_activity(input)

        class Inbound(WorkflowInboundInterceptor):
            def init(self, outbound: WorkflowOutboundInterceptor) -> None:
                super().init(Outbound(outbound))

            async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:  # noqa: A002
                execution.ended_with = await super().execute_workflow(input)
                execution.has_ended = True
                return execution.ended_with

        return Inbound


class History:
    """The events of one workflow, as a server would write them down."""

    def __init__(self, workflow: str, argument: object, converter: DataConverter) -> None:
        self.events: list[HistoryEvent] = []
        self._workflow, self._argument, self._converter = workflow, argument, converter

    async def start(self) -> None:
        started = self._add(EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED)
        attributes = started.workflow_execution_started_event_attributes
        attributes.workflow_type.name = self._workflow
        attributes.task_queue.name = 'queue'
        attributes.original_execution_run_id = 'run'
        attributes.attempt = 1
        attributes.input.payloads.extend(await self._converter.encode([self._argument]))
        self._add_task()

    async def add_activity(self, number: int, name: str, result: object) -> None:
        completed = self._add(EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED)
        task = completed.workflow_task_completed_event_attributes
        task.started_event_id = completed.event_id - 1
        task.scheduled_event_id = completed.event_id - 2
        scheduled = self._add(EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED)
        wanted = scheduled.activity_task_scheduled_event_attributes
        wanted.activity_id, wanted.activity_type.name = str(number), name
        wanted.workflow_task_completed_event_id = completed.event_id
        started = self._add(EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED)
        started.activity_task_started_event_attributes.scheduled_event_id = scheduled.event_id
        done = self._add(EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED)
        outcome = done.activity_task_completed_event_attributes
        outcome.scheduled_event_id = scheduled.event_id
        outcome.started_event_id = started.event_id
        outcome.result.payloads.extend(await self._converter.encode([result]))
        self._add_task()

    def _add_task(self) -> None:
        scheduled = self._add(EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED)
        scheduled.workflow_task_scheduled_event_attributes.task_queue.name = 'queue'
        started = self._add(EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED)
        attributes = started.workflow_task_started_event_attributes
        attributes.scheduled_event_id = scheduled.event_id

    def _add(self, kind: EventType.ValueType) -> HistoryEvent:
        event = HistoryEvent(event_id=len(self.events) + 1, event_type=kind)
        event.event_time.FromSeconds(1_750_000_000 + event.event_id)
        self.events.append(event)
        return event


async def run_workflow(
    workflow: type, argument: object, activities: list[Callable[..., Any]]
) -> object:
    """What a workflow returns for `argument`, each activity it asks for having been run."""
    by_name = {name_of(each): each for each in activities}
    execution = Execution()
    replayer = Replayer(
        workflows=[workflow],
        plugins=[PydanticAIPlugin()],
        interceptors=[execution],
        debug_mode=True,  # else a workflow that takes 2 s on a busy machine is called a deadlock
    )
    converter = replayer.config(active_config=True).get('data_converter')
    assert converter is not None
    history = History(workflow.__name__, argument, converter)
    await history.start()
    for number in range(1, 20):
        execution.asked_for.clear()
        await replayer.replay_workflow(WorkflowHistory('workflow', history.events))
        if execution.has_ended:
            return execution.ended_with
        asked = execution.asked_for[number - 1]
        result = await run_activity(by_name[asked.activity], asked, converter)
        await history.add_activity(number, asked.activity, result)
    raise AssertionError('the workflow asks for more and more')


async def run_activity(
    activity: Callable[..., Any], asked: StartActivityInput, converter: DataConverter
) -> object:
    """What an activity returns for the arguments that arrive at a worker."""
    hints = get_type_hints(activity)
    hints.pop('return', None)
    arguments = await converter.decode(
        await converter.encode(asked.args), list(hints.values())[: len(asked.args)]
    )
    return await ActivityEnvironment().run(activity, *arguments)


def name_of(activity: Callable[..., Any]) -> str:
    """The name a worker registers an activity by."""
    return getattr(activity, '__temporal_activity_definition').name
