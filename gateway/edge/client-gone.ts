/** A client closed its connection before its body was complete: there is nobody to respond to. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}
