/** The client disconnected before its body was complete, so that no response can be sent. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}
