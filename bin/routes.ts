import { fileURLToPath } from 'node:url'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { readConnection } from '#migration/cli/connection.ts'
import { CommandError, exitCodes } from '#migration/cli/exit-codes.ts'
import { requestApi } from '#migration/cli/request.ts'
import type { Send } from '#migration/cli/verb.ts'
import { verbs } from '#migration/cli/verbs.ts'
import { formatColumns } from '#shared/format-columns.ts'
import { formatCommand, sandboxCommand } from '#shared/format-command.ts'
import { stateFolder } from '#shared/run-time-files.ts'

const formatRouteTable = () =>
  formatColumns([
    ['route', 'method', 'path', 'auth', 'runtime', 'effects'],
    ...labels.map((label) => {
      const { method, path, auth, runtime, effects } = rowOf(label)
      return [label, method, path, auth, runtime, effects]
    }),
  ])

const formatUsage = () => {
  const width = Math.max(...[...verbs.values()].map(({ takes }) => takes.length))
  return [
    'Shows which side serves each route, and moves routes between native and the core.',
    `example: ${formatCommand('routes', "ramp tracks.list 1 --reason 'no differences for a day'")}`,
    `usage: ${formatCommand('routes', 'VERB', '[operands]', '[flags]')}`,
    ...[...verbs.values()].map(({ takes, means }) => `  ${takes.padEnd(width)}  ${means}`),
    "SCOPE is a route label, an area such as 'libraries.*', or '*'. In a shell, quote any that contain *.",
    "Without a verb, prints the code's route table. VERB --help lists a verb's flags.",
    `OPERATOR_TOKEN is your operator token, and ADMIN_URL is the admin listener's address${sandboxCommand ? `; ${sandboxCommand} provides both for its own gateway` : ''}.`,
    '--help prints this help.',
    `Exit codes: ${exitCodes.done} done, ${exitCodes.rejected} rejected (nothing changed), ${exitCodes.usage} wrong usage,`,
    `${exitCodes.unreachable} no response from the gateway or its database (a change may have been made), ${exitCodes.changes} plan: the file would change something.`,
  ].join('\n')
}

const stateDir = fileURLToPath(stateFolder)

// Reads the gateway's address and the token only when it sends a request, because `operator` and `--help` need neither.
const send: Send = async (schema, method, path, body) =>
  requestApi(await readConnection(process.env, stateDir), schema, method, path, body)

const run = async ([name, ...operands]: readonly string[]) => {
  if (name === undefined) return formatRouteTable()
  if (name === '--help') return formatUsage()
  const verb = verbs.get(name)
  if (!verb) {
    const problem = name.startsWith('-') ? `Unknown option '${name}'` : `${name} is not a verb`
    throw new CommandError(exitCodes.usage, problem, { usage: formatUsage() })
  }
  const { json, text, exitCode = exitCodes.done } = await verb.run(operands, send)
  process.exitCode = exitCode
  return operands.includes('--json') ? JSON.stringify(json, null, 2) : text
}

const args = process.argv.slice(2)
try {
  process.stdout.write(`${await run(args)}\n`)
} catch (error) {
  if (!(error instanceof CommandError)) throw error
  const { message, body, usage, exitCode } = error
  const text = [`routes: ${message}`, ...(usage ? [usage] : [])].join('\n')
  process.stderr.write(args.includes('--json') ? `${JSON.stringify(body, null, 2)}\n` : `${text}\n`)
  process.exitCode = exitCode
}
