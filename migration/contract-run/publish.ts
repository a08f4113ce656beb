import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatJunit } from '../report/junit.ts'
import { parityHtml } from '../report/parity-html.ts'
import { type ParityReport, writeParityJson } from '../report/parity-json.ts'
import { exitCodes } from '../report/summary.ts'
import { formatTable } from '../report/table.ts'

/** Prints the table and writes the three files of a report; answers what the process exits with. */
export const publish = async (report: ParityReport, folder: string) => {
  process.stdout.write(`${formatTable(report).join('\n')}\n`)
  await mkdir(folder, { recursive: true })
  await Promise.all([
    writeFile(join(folder, 'parity.json'), writeParityJson(report)),
    writeFile(join(folder, 'parity.html'), parityHtml(report)),
    writeFile(join(folder, 'parity.junit.xml'), formatJunit(report)),
  ])
  return exitCodes[report.summary.outcome]
}

/** Says on a terminal how far a run is; a pipe is told nothing but the result. */
export const createProgress = (total: number) => {
  if (!process.stderr.isTTY) return () => {}
  return (done: number, doubtful: number) => {
    const differing = doubtful > 0 ? `, ${doubtful} differ` : ''
    process.stderr.write(`\r\x1b[K${done} of ${total} scenarios${differing}${done === total ? '\n' : ''}`)
  }
}
