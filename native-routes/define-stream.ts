import type * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import type { Contract, ContractDefinition, StreamDefinition } from '#contracts/shared/contract.ts'
import type { RouteInput } from './define-route.ts'
import type { Ports } from './ports.ts'

interface StreamContractDefinition extends ContractDefinition {
  readonly responses: { readonly 200: z.ZodType }
  readonly stream: StreamDefinition
}

interface NamedEvent<Name, Data> {
  readonly event: Name
  readonly data: Data
}

/** `done` comes last, with the response as its data. */
export type EventOf<P extends StreamContractDefinition> =
  | {
      [N in keyof P['stream']['events'] & string]: NamedEvent<N, z.input<P['stream']['events'][N]>>
    }[keyof P['stream']['events'] & string]
  | NamedEvent<'done', z.input<P['responses'][200]>>

/** What a handler returns once a 200 response is certain. Later errors become events of the stream. */
export interface OpenedStream<Opening = unknown, Event = NamedEvent<string, unknown>> {
  readonly opening: Opening
  /** Must end soon after the input's signal is aborted. */
  readonly events: AsyncIterable<Event>
}

/** The signal is aborted when the client disconnects or the request's deadline passes. */
export type StreamInput<L extends Label, P extends ContractDefinition> = RouteInput<L, P> & {
  readonly signal: AbortSignal
}

export interface NativeStream<L extends Label = Label> {
  readonly kind: 'stream'
  readonly contract: Contract<L> & { readonly stream: StreamDefinition }
  open(input: object, ports: Ports): Promise<OpenedStream>
}

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

// The pipeline builds the input from this contract and row, but the type of the whole registry cannot express that.
const asStreamInput = <L extends Label, P extends ContractDefinition>(input: object) =>
  input as StreamInput<L, P>
