import { clearLine, cursorTo } from 'node:readline'
import type { WriteStream } from 'node:tty'
import { styleText } from 'node:util'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 80
const partWidth = 28
// How often to print a line where lines cannot be replaced, as in a CI log.
const updateLineMs = 10_000

export type Terminal = Pick<WriteStream, 'columns' | 'isTTY' | 'write'> & NodeJS.WritableStream

const formatSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

interface Part {
  text: string
  printedAt: number
}

/**
 * Prints a line for each finished part of long-running work, above a line that shows the parts in progress. Without a
 * terminal, prints each part's progress as a new line at most every ten seconds.
 */
export const createProgress = (terminal: Terminal) => {
  const parts = new Map<string, Part>()
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
    if (!isAnimated || isEnded || parts.size === 0) return
    erase()
    frame = (frame + 1) % frames.length
    // A line that wraps could not be erased.
    const texts = Array.from(parts, ([part, { text }]) => (text === '' ? part : `${part}: ${text}`))
    const text = `  ${frames[frame]} ${texts.join(', ')}`.slice(0, terminal.columns - 1)
    terminal.write(styleText('dim', text, { stream: terminal }))
  }

  const print = (line: string) => {
    if (!isEnded && parts.size > 0) erase()
    terminal.write(`${line}\n`)
    draw()
  }

  const report = (part: string, isDone: boolean, ms: number) => {
    if (isEnded) return
    erase()
    parts.delete(part)
    if (parts.size === 0) clearInterval(timer)
    const mark = styleText(isDone ? 'green' : 'red', isDone ? '✓' : '✗', { stream: terminal })
    print(`  ${mark} ${part.padEnd(partWidth)}${formatSeconds(ms)}`)
  }

  return {
    print,
    update(part: string, text: string) {
      const known = parts.get(part)
      if (!known || isEnded) return
      known.text = text
      const now = performance.now()
      if (isAnimated || now - known.printedAt < updateLineMs) return
      known.printedAt = now
      terminal.write(`  ${part}: ${text}\n`)
    },
    async follow<T>(part: string, work: Promise<T>): Promise<T> {
      const startedAt = performance.now()
      if (parts.size === 0) timer = setInterval(draw, frameMs).unref()
      parts.set(part, { text: '', printedAt: startedAt })
      draw()
      const elapsed = () => performance.now() - startedAt
      try {
        const result = await work
        report(part, true, elapsed())
        return result
      } catch (error) {
        report(part, false, elapsed())
        throw error
      }
    },
    end() {
      if (isEnded) return
      isEnded = true
      clearInterval(timer)
      // Also erases the `^C` that the terminal printed.
      erase()
    },
  }
}
