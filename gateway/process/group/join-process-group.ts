import { withTimeout } from '#shared/with-timeout.ts'
import type { ProcessGroup, ProcessReports } from '../../node/group/process-group.ts'
import {
  type MessageFromProcess,
  type MessageToProcess,
  parseMessageToProcess,
  type ReportSubject,
} from './process-messages.ts'
import { createConnectionReceiver } from './receive-connections.ts'

export interface JoinedGroup extends ProcessGroup {
  /** Calls `drain` when another process serves in the place of this one. */
  onReplaced(drain: () => void): void
  /** Asks for no further connections. */
  reportDraining(): void
  /** Reports the last counts of this process, which then remain in the metrics of the gateway. Never rejects. */
  reportExit(): Promise<void>
}

// Longer than the supervisor waits for the reports of a process.
const collectTimeoutMs = 4000
/** How long the exit waits for the last report. */
const exitReportTimeoutMs = 1000

type Collected = Extract<MessageToProcess, { kind: 'metrics-collected' | 'states-collected' }>

const send = (message: MessageFromProcess) =>
  new Promise<void>((resolve) => {
    // The supervisor may have died.
    if (process.connected) process.send?.(message, undefined, {}, () => resolve())
    else resolve()
  })

const noReports: ProcessReports = { metrics: async () => [], states: async () => ({}) }

/** Connects this process with its supervisor. */
export const joinProcessGroup = (size: number): JoinedGroup => {
  const pending = new Map<number, (collected: Collected) => void>()
  const connections = createConnectionReceiver(send)
  let requests = 0
  let reports = noReports
  let isReplaced = false
  let drain = () => {}

  const sendMetrics = async (report: number | null) =>
    send({ kind: 'metrics', report, metrics: (await reports.metrics()).map((metric) => ({ ...metric })) })

  const sendReport = async (report: number, subject: ReportSubject) => {
    if (subject === 'metrics') await sendMetrics(report)
    else await send({ kind: 'states', report, states: await reports.states() })
  }

  const collect = async (subject: ReportSubject) => {
    const request = requests++
    const collected = new Promise<Collected>((resolve) => pending.set(request, resolve))
    void send({ kind: 'collect', request, subject })
    try {
      return await withTimeout(collectTimeoutMs, collected, () => {
        throw new Error('the supervisor did not respond')
      })
    } finally {
      pending.delete(request)
    }
  }

  process.on('message', (received, socket) => {
    const message = parseMessageToProcess(received)
    if (message === null) return
    if (message.kind === 'ping') void send({ kind: 'pong' })
    else if (message.kind === 'report') void sendReport(message.report, message.subject)
    else if (message.kind === 'replaced') {
      isReplaced = true
      drain()
    } else if ('request' in message) pending.get(message.request)?.(message)
    else connections.receive(message, socket)
  })

  return {
    size,
    listen: connections.listen,
    provide(given) {
      reports = given
    },
    async formatMetrics() {
      const collected = await collect('metrics')
      return collected.kind === 'metrics-collected' ? collected.metrics : ''
    },
    async readStates() {
      const collected = await collect('states')
      return collected.kind === 'states-collected' ? collected.states : []
    },
    onReplaced(given) {
      drain = given
      // The message may have arrived while this process started.
      if (isReplaced) given()
    },
    reportDraining: () => void send({ kind: 'draining' }),
    reportExit: () =>
      withTimeout(exitReportTimeoutMs, sendMetrics(null), () => undefined).catch(() => undefined),
  }
}
