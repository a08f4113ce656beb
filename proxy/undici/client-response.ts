import type { ServerResponse } from 'node:http'
import { releaseChunk } from '../node-streams/shared-read-buffer.ts'
import { writeWhole } from '../node-streams/write-whole.ts'

/** Where an answer comes from: it stops while the client does not read. */
export interface ResponseSource {
  clientIsFull(): void
  clientDrained(): void
}

// With its head it has to fit into the 16 KiB that Node keeps on the stack for a string.
const longestOneString = 8192

/**
 * An answer as it is written to the client. One that comes whole with one read is written in one piece, which is the
 * cheapest way through Node; one that takes longer is a stream, whose head is sent at once.
 */
export class ClientResponse {
  status = 0
  readonly #outgoing: ServerResponse
  readonly #source: ResponseSource
  #mayBeWhole = false
  #firstChunk: Buffer | null = null
  #onDrain: (() => void) | null = null

  constructor(outgoing: ServerResponse, source: ResponseSource) {
    this.#outgoing = outgoing
    this.#source = source
  }

  get begun() {
    return this.status !== 0
  }

  /** Throws for what cannot stand in a head, and has then written nothing. */
  begin(status: number, headers: string[]) {
    this.#outgoing.writeHead(status, headers)
    this.status = status
    this.#mayBeWhole = true
  }

  write(chunk: Buffer) {
    if (this.#mayBeWhole && this.#firstChunk === null) {
      this.#firstChunk = chunk
      return
    }
    this.flush()
    this.#send(chunk)
  }

  /** Sends what was held back: what has come so far is not the whole answer. */
  flush() {
    if (!this.#mayBeWhole) return
    this.#mayBeWhole = false
    const chunk = this.#firstChunk
    this.#firstChunk = null
    if (chunk) this.#send(chunk)
    // Not `flushHeaders`, which writes a head as UTF-8: bytes of the core beyond ASCII would become two.
    else this.#outgoing.write('', 'latin1')
  }

  end() {
    const chunk = this.#firstChunk
    this.release()
    if (chunk && chunk.length <= longestOneString)
      writeWhole(this.#outgoing, chunk.toString('latin1'), 'latin1')
    else this.#outgoing.end(chunk)
  }

  /** Without a length or chunks (HTTP/1.0) an orderly close would look like the end of the answer. */
  breakOff() {
    const { socket, req } = this.#outgoing
    this.release()
    if (req.httpVersionMinor === 0) socket?.resetAndDestroy()
    else this.#outgoing.destroy()
  }

  /** Writes no more of its own accord. */
  release() {
    this.#mayBeWhole = false
    if (this.#onDrain) this.#outgoing.off('drain', this.#onDrain)
  }

  #send(chunk: Buffer) {
    if (this.#outgoing.write(chunk, () => releaseChunk(chunk))) return
    this.#source.clientIsFull()
    if (this.#onDrain) return
    this.#onDrain = () => this.#source.clientDrained()
    this.#outgoing.on('drain', this.#onDrain)
  }
}
