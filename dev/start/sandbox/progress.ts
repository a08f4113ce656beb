import { clearLine, cursorTo } from 'node:readline'
import type { WriteStream } from 'node:tty'
import { styleText } from 'node:util'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 80
const partWidth = 28

export type Terminal = Pick<WriteStream, 'columns' | 'isTTY' | 'write'> & NodeJS.WritableStream

const formatSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** Prints a line for each part that has started, above a line that shows which parts are starting. */
export const createProgress = (terminal: Terminal) => {
  const starting = new Set<string>()
  const isAnimated = terminal.isTTY && process.env.TERM !== 'dumb'
  let frame = 0
  let timer: NodeJS.Timeout | undefined
  let isEnded = false

  const erase = () => {
    if (!isAnimated) return
    cursorTo(terminal, 0)
    clearLine(terminal, 0)
  }

  const draw = () => {
    if (!isAnimated || isEnded || starting.size === 0) return
    erase()
    frame = (frame + 1) % frames.length
    // A line that wraps could not be erased.
    const text = `  ${frames[frame]} ${[...starting].join(', ')}`.slice(0, terminal.columns - 1)
    terminal.write(styleText('dim', text, { stream: terminal }))
  }

  /** Prints a line above the line of the parts that are starting. */
  const print = (line: string) => {
    if (!isEnded && starting.size > 0) erase()
    terminal.write(`${line}\n`)
    draw()
  }

  const report = (part: string, isReady: boolean, ms: number) => {
    if (isEnded) return
    erase()
    starting.delete(part)
    if (starting.size === 0) clearInterval(timer)
    const mark = styleText(isReady ? 'green' : 'red', isReady ? '✓' : '✗', { stream: terminal })
    print(`  ${mark} ${part.padEnd(partWidth)}${formatSeconds(ms)}`)
  }

  return {
    print,
    /** Shows that a part is starting until it is ready or has failed. */
    async follow<T>(part: string, start: Promise<T>): Promise<T> {
      const startedAt = performance.now()
      if (starting.size === 0) timer = setInterval(draw, frameMs).unref()
      starting.add(part)
      draw()
      const elapsed = () => performance.now() - startedAt
      try {
        const ready = await start
        report(part, true, elapsed())
        return ready
      } catch (error) {
        report(part, false, elapsed())
        throw error
      }
    },
    /** Shows no further part. */
    end() {
      if (isEnded) return
      isEnded = true
      clearInterval(timer)
      // Also what the terminal has echoed for Ctrl-C.
      erase()
    },
  }
}
