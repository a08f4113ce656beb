import type * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import type { Contract, ContractDefinition, StreamDefinition } from '#contracts/shared/contract.ts'
import type { RouteInput } from './define-route.ts'
import type { Ports } from './ports.ts'

/** The definition of a contract whose 200 response is also available as events. */
interface StreamContractDefinition extends ContractDefinition {
  readonly responses: { readonly 200: z.ZodType }
  readonly stream: StreamDefinition
}

interface NamedEvent<Name, Data> {
  readonly event: Name
  readonly data: Data
}

/** The events of a contract; `done` is the last one, and its data is the response. */
export type EventOf<P extends StreamContractDefinition> =
  | {
      [N in keyof P['stream']['events'] & string]: NamedEvent<N, z.input<P['stream']['events'][N]>>
    }[keyof P['stream']['events'] & string]
  | NamedEvent<'done', z.input<P['responses'][200]>>

/** What a handler returns once nothing prevents a response: after it, an error is an event of the stream. */
export interface OpenedStream<Opening = unknown, Event = NamedEvent<string, unknown>> {
  readonly opening: Opening
  /** Must end soon after the signal of the input is aborted. */
  readonly events: AsyncIterable<Event>
}

/** The signal is aborted when the client has disconnected, and when the deadline of the request has passed. */
export type StreamInput<L extends Label, P extends ContractDefinition> = RouteInput<L, P> & {
  readonly signal: AbortSignal
}

export interface NativeStream<L extends Label = Label> {
  readonly kind: 'stream'
  readonly contract: Contract<L> & { readonly stream: StreamDefinition }
  open(input: object, ports: Ports): Promise<OpenedStream>
}

/** Binds a handler to its contract. The pipeline sends its events, or only the data of the last one as JSON. */
export const defineStream = <L extends Label, P extends StreamContractDefinition>(
  contract: Contract<L, P>,
  handler: (
    input: StreamInput<L, P>,
    ports: Ports,
  ) => Promise<OpenedStream<z.input<P['stream']['opening']>, EventOf<P>>>,
): NativeStream<L> => ({
  kind: 'stream',
  contract,
  open: (input, ports) => handler(asStreamInput<L, P>(input), ports),
})

// The pipeline builds the input from the same contract and row, which the type of a registry cannot express.
const asStreamInput = <L extends Label, P extends ContractDefinition>(input: object) =>
  input as StreamInput<L, P>
