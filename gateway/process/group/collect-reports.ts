import { withTimeout } from '#shared/with-timeout.ts'
import { createProcessMetrics } from '../../adapters/process-metrics-prom-client.ts'
import type { States } from '../../observability/readiness.ts'
import type { MessageFromProcess, MessageToProcess, ReportSubject } from './process-messages.ts'

/** A process that can report. */
export interface ReportingProcess {
  readonly pid: number
  send(message: MessageToProcess): void
}

type Report = Extract<MessageFromProcess, { kind: 'metrics' | 'states' }>

/** Collects the reports of the processes of a gateway for the one that serves the admin listener's request. */
export const createReportCollector = (
  listReady: () => readonly ReportingProcess[],
  { timeoutMs = 2000 }: { readonly timeoutMs?: number } = {},
) => {
  const processMetrics = createProcessMetrics()
  const pending = new Map<number, (pid: number, report: Report) => void>()
  let lastReport = 0

  /** Resolves when all have reported, or after the timeout, to the reports by process. */
  const collect = async (subject: ReportSubject) => {
    const id = ++lastReport
    const reports = new Map<number, Report>()
    const asked = listReady()
    const complete = new Promise<void>((resolve) => {
      pending.set(id, (pid, report) => {
        reports.set(pid, report)
        if (reports.size === asked.length) resolve()
      })
    })
    for (const each of asked) each.send({ kind: 'report', report: id, subject })
    await withTimeout(timeoutMs, complete, () => undefined)
    pending.delete(id)
    return reports
  }

  const collectMetrics = async () => {
    const reports = await collect('metrics')
    return processMetrics.format(new Set(reports.keys()))
  }

  const collectStates = async (): Promise<States[]> => {
    const reports = await collect('states')
    return [...reports.values()].flatMap((report) => (report.kind === 'states' ? [report.states] : []))
  }

  return {
    /** Stores a report that was asked for, or the last one of a process. */
    record(pid: number, report: Report) {
      if (report.kind === 'metrics') processMetrics.record(pid, report.metrics)
      if (report.report !== null) pending.get(report.report)?.(pid, report)
    },
    recordExit: (pid: number) => processMetrics.recordExit(pid),
    async respond(to: ReportingProcess, request: number, subject: ReportSubject) {
      if (subject === 'metrics')
        return to.send({ kind: 'metrics-collected', request, metrics: await collectMetrics() })
      to.send({ kind: 'states-collected', request, states: await collectStates() })
    },
  }
}
