import type { Reply } from '#test/support/raw-core.ts'

export const head200 = 'HTTP/1.1 200 OK\r\n'

export const thenEnd =
  (text: string): Reply =>
  (socket) => {
    socket.end(Buffer.from(text, 'latin1'))
  }

export const thenReset =
  (text: string): Reply =>
  (socket) => {
    if (text === '') socket.resetAndDestroy()
    else socket.write(Buffer.from(text, 'latin1'), () => setTimeout(() => socket.resetAndDestroy(), 20))
  }

export const silent: Reply = () => {}
