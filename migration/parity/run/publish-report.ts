import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatJunit } from '../report/junit.ts'
import { formatParityHtml } from '../report/parity-html.ts'
import { formatParityJson, type ParityReport, runExitCodes } from '../report/summary.ts'
import { formatTable } from '../report/table.ts'
import type { Remainder } from './created.ts'
import type { Journal } from './journal.ts'

const maxIds = 50

const countIds = (remainders: readonly Remainder[]) =>
  Array.from(
    Map.groupBy(remainders, ({ id }) => id),
    ([id, same]) => (same.length > 1 ? `${id} (${same.length} times)` : id),
  )

const formatIds = (ids: readonly string[]) =>
  ids.length > maxIds ? `${ids.slice(0, maxIds).join(', ')} and ${ids.length - maxIds} more` : ids.join(', ')

const formatReasons = (remainders: readonly Remainder[]) =>
  Array.from(
    Map.groupBy(remainders, ({ reason }) => reason),
    ([reason, same]) => `  ${reason}: ${formatIds(countIds(same))}`,
  )

const formatRemainders = ({ remainders, unremoved }: Pick<Journal, 'remainders' | 'unremoved'>) => [
  ...(remainders.length > 0 ? ['What remains:', ...formatReasons(remainders)] : []),
  ...(unremoved.length > 0 ? ['Could not be removed:', ...formatReasons(unremoved)] : []),
  ...(remainders.length + unremoved.length === 0 ? ['Everything that was created has been removed.'] : []),
]

export const publishReport = async (report: ParityReport, folder: string) => {
  process.stdout.write(`${formatTable(report).join('\n')}\n`)
  await mkdir(folder, { recursive: true })
  await Promise.all([
    writeFile(join(folder, 'parity.json'), formatParityJson(report)),
    writeFile(join(folder, 'parity.html'), formatParityHtml(report)),
    writeFile(join(folder, 'parity.junit.xml'), formatJunit(report)),
  ])
  return runExitCodes[report.summary.outcome]
}

export const publishRemainders = async ({ remainders, unremoved }: Journal, folder: string) => {
  process.stdout.write(`${formatRemainders({ remainders, unremoved }).join('\n')}\n`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'remaining.json'), `${JSON.stringify({ remainders, unremoved }, null, 2)}\n`)
}
