import type { ServerResponse } from 'node:http'
import { releaseChunk } from '../node-streams/core-connection.ts'

// Node joins a string body with the head and sends both in one write (dev/bench/results/forwarding.md). Together with
// the head, a body of this size fits the 16 KiB that Node reserves on the stack for a string.
const maxStringBytes = 8192

/**
 * Sends a response head before any body. `ServerResponse.flushHeaders` would write it as UTF-8, doubling bytes beyond
 * ASCII (verified on Node 26.10.0); an empty latin1 write sends it byte for byte.
 */
export const sendHead = (outgoing: ServerResponse) => {
  outgoing.write('', 'latin1')
}

export interface ResponseSource {
  onClientFull(): void
  onClientDrained(): void
}

/**
 * A response that arrives complete in one read is written in one piece, the cheapest way through Node. Any other is
 * streamed, head first.
 */
export class ClientResponse {
  status = 0
  readonly #outgoing: ServerResponse
  readonly #source: ResponseSource
  #mayBeComplete = false
  #firstChunk: Buffer | null = null
  #onDrain: (() => void) | null = null
  #hasPausedClient = false

  constructor(outgoing: ServerResponse, source: ResponseSource) {
    this.#outgoing = outgoing
    this.#source = source
  }

  /** @throws Error on a status or header that Node refuses to write. In that case, nothing is written. */
  writeHead(status: number, headers: string[]) {
    this.#outgoing.writeHead(status, headers)
    this.status = status
    this.#mayBeComplete = true
  }

  write(chunk: Buffer) {
    if (this.#mayBeComplete && this.#firstChunk === null) {
      this.#firstChunk = chunk
      return
    }
    this.flush()
    this.#send(chunk)
  }

  /** Sends what was held back, because more of the response is coming. */
  flush() {
    if (!this.#mayBeComplete) return
    this.#mayBeComplete = false
    const chunk = this.#firstChunk
    this.#firstChunk = null
    if (chunk) this.#send(chunk)
    else sendHead(this.#outgoing)
  }

  end() {
    const chunk = this.#firstChunk
    this.release()
    if (chunk && chunk.length <= maxStringBytes) this.#outgoing.end(chunk.toString('latin1'), 'latin1')
    else this.#outgoing.end(chunk)
  }

  truncate() {
    const { socket, req } = this.#outgoing
    this.release()
    // Without a length or chunks (HTTP/1.0), an orderly close would look like the response's end.
    if (req.httpVersionMinor === 0) socket?.resetAndDestroy()
    else this.#outgoing.destroy()
  }

  /** Stops writing and lets the client's connection be read again. */
  release() {
    this.#mayBeComplete = false
    if (this.#onDrain) this.#outgoing.off('drain', this.#onDrain)
    this.#resumeClient()
  }

  #send(chunk: Buffer) {
    if (this.#outgoing.write(chunk, () => releaseChunk(chunk))) return
    this.#pauseClient()
    this.#source.onClientFull()
    if (this.#onDrain) return
    this.#onDrain = () => {
      this.#resumeClient()
      this.#source.onClientDrained()
    }
    this.#outgoing.on('drain', this.#onDrain)
  }

  // Bytes in either direction reset the write-stall timeout, so a client that sends without reading would never time
  // out. If the connection was already paused, whatever paused it also resumes it.
  #pauseClient() {
    const { complete, socket } = this.#outgoing.req
    if (!complete || socket.isPaused()) return
    this.#hasPausedClient = true
    socket.pause()
  }

  #resumeClient() {
    if (!this.#hasPausedClient) return
    this.#hasPausedClient = false
    this.#outgoing.req.socket.resume()
  }
}
