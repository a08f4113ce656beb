import type { Label } from '#contracts/route-table.ts'
import type { Ports } from '#native-routes/ports.ts'
import type { GatewayResponse } from './response.ts'

/** What a platform supplies for one request: how to forward it and how to write its response. */
export interface Platform {
  /** Writes a response of the gateway itself. Does nothing once a head was sent or the client is gone. */
  respond(response: GatewayResponse): void
  /** Writes the response of a page or of middleware; its body is streamed where `contentLength` is null. */
  send(response: Response, contentLength: string | null): Promise<void>
  /** Sends the request to the core; `label` is null where it matched no row. */
  forward(label: Label | null): Promise<void>
  /** Runs a native handler with the ports of this request, and closes afterwards what was opened for it alone. */
  withPorts<T>(work: (ports: Ports) => Promise<T>): Promise<T>
  /** The client closed its connection inside its body: no response is due. */
  abandon(): void
  /** Ends the connection of a response that was begun, so that it cannot pass for a complete one. */
  destroy(): void
  /** Resolves once the response has ended, on Workers once its head is ready. */
  ended(): Promise<void>
}
