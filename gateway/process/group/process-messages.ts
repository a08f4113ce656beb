import * as z from 'zod'

const subject = z.enum(['metrics', 'states'])
const listener = z.enum(['PORT', 'ADMIN_PORT'])
const Metrics = z.array(z.looseObject({ name: z.string(), type: z.string() }))
const State = z.record(z.string(), z.unknown())

/** What a process of the gateway sends to its supervisor. */
const FromProcess = z.union([
  // The gateway serves requests; `start/start-child.ts` waits for the same message.
  z.object({ url: z.string(), adminUrl: z.string().nullable() }),
  z.object({ kind: z.literal('pong') }),
  // Asks for connections of a listener.
  z.object({ kind: z.literal('listen'), listener }),
  z.object({ kind: z.literal('received'), connection: z.int() }),
  z.object({ kind: z.literal('closed'), listener, connections: z.int() }),
  // It shuts down although it was not replaced.
  z.object({ kind: z.literal('draining') }),
  // Asks for the reports of all processes.
  z.object({ kind: z.literal('collect'), request: z.int(), subject }),
  z.object({ kind: z.literal('metrics'), report: z.int().nullable(), metrics: Metrics }),
  z.object({ kind: z.literal('states'), report: z.int(), states: State }),
])

/** What the supervisor sends to a process of the gateway. */
const ToProcess = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ping') }),
  z.object({ kind: z.literal('listening'), listener, port: z.int() }),
  z.object({ kind: z.literal('listen-failed'), listener, error: z.string() }),
  // Comes with a socket.
  z.object({ kind: z.literal('connection'), listener, connection: z.int() }),
  // Asks for a report.
  z.object({ kind: z.literal('report'), report: z.int(), subject }),
  // Another process serves in its place: it drains and exits.
  z.object({ kind: z.literal('replaced') }),
  z.object({ kind: z.literal('metrics-collected'), request: z.int(), metrics: z.string() }),
  z.object({ kind: z.literal('states-collected'), request: z.int(), states: z.array(State) }),
])

export type ReportSubject = z.infer<typeof subject>
export type MessageFromProcess = z.infer<typeof FromProcess>
export type MessageToProcess = z.infer<typeof ToProcess>

/** Null for a message of a release that has other messages: files may have been replaced before a restart. */
export const parseMessageFromProcess = (message: unknown): MessageFromProcess | null =>
  FromProcess.safeParse(message).data ?? null

/** Null for a message of a release that has other messages. */
export const parseMessageToProcess = (message: unknown): MessageToProcess | null =>
  ToProcess.safeParse(message).data ?? null
