import { join } from 'node:path'
import {
  readParent,
  readCommandLine as readProcessCommandLine,
  readStartTime,
} from '#dev/postgres/processes.ts'
import { readSecretFiles } from '#gateway/settings/secret-files.ts'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import { uploadDemoMedia } from '../../sandbox/demo-media/upload-demo-media.ts'
import { createSandbox } from '../start-sandbox.ts'
import { createPlainReporter, createTerminalReporter } from './reporter.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface SandboxProgram {
  readonly name: string
  readonly does: string
  readonly environment: Environment
  readonly gatewayModule?: URL
}

const stateDir = join(import.meta.dirname, '../../../.data')

const readArguments = (command: Pick<SandboxProgram, 'name' | 'does'>) => (args: readonly string[]) =>
  readCommandLine(
    {
      ...command,
      example: '--logs',
      flags: { logs: { type: 'boolean', means: 'prints the logs here, in readable form' } },
      notes: [
        'In a terminal, the logs go to files in .data/logs; --logs prints them too. Delete .data to start over.',
      ],
    },
    args,
  ).values

const npmPollMs = 1000

const isShell = (commandLine: string) => /^(?:\S*\/)?(?:sh|ash|bash|dash|ksh|zsh) /.test(commandLine)

// npm runs a script with `sh -c`. Some shells replace themselves with the script (exec); others remain as its parent.
const findNpm = async (pid: number | null): Promise<number | null> => {
  const commandLine = pid === null ? null : await readProcessCommandLine(pid)
  return pid !== null && commandLine !== null && isShell(commandLine) ? findNpm(await readParent(pid)) : pid
}

// The parent of an orphan is process 1. In a container, process 1 can also be npm itself.
const isOrphan = async (npm: number) =>
  npm === 1 && !/npm|node|yarn|bun/.test((await readProcessCommandLine(1)) ?? '')

/**
 * Calls `onExit` once when the npm that runs this process exits, even if it is killed (SIGKILL), which it cannot pass
 * on. Without npm, it watches nothing, because a service manager, `nohup` or a terminal owns this process and ends it
 * with a signal.
 */
const watchNpm = async (onExit: () => void) => {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const npm = await findNpm(parent)
  if (npm === null || (await isOrphan(npm))) return onExit()
  const startTime = await readStartTime(npm)
  const hasExited = async () =>
    process.ppid !== parent || (npm !== parent && (await readStartTime(npm)) !== startTime)
  const timer = setInterval(async () => {
    if (!(await hasExited())) return
    clearInterval(timer)
    onExit()
  }, npmPollMs)
  timer.unref()
}

export const runSandbox = async ({ name, does, environment, gatewayModule }: SandboxProgram) => {
  const { logs: showsLogs = false } = readArgumentsOrExit(name, readArguments({ name, does }), 1)
  const reporter = process.stdout.isTTY
    ? createTerminalReporter(process.stdout, { stateDir, showsLogs })
    : createPlainReporter()
  const given = await readSecretFiles(environment)
  const sandbox = createSandbox({
    ...reporter,
    stateDir,
    given,
    ...(gatewayModule && { gatewayModule }),
  })

  let stopping = false
  const stop = async (failure?: string) => {
    if (stopping) return
    stopping = true
    if (failure === undefined) reporter.stopping()
    else reporter.failed(failure)
    await sandbox.stop().catch(() => undefined)
    if (failure === undefined) reporter.stopped()
    process.exit(failure === undefined ? 0 : 1)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop())
  void watchNpm(() => void stop())

  try {
    const { gateway, issuer, databaseUrl, coreUrl, providers, adminUrls, ffmpegPath, replacedPorts } =
      await sandbox.start()
    const token = issuer && (await issuer.mintToken('acct_alice'))
    const hasDemo = token !== null && !given.DATABASE_URL && providers.STORAGE_ENDPOINT !== undefined
    if (!stopping) {
      for (const sentence of replacedPorts) reporter.print(sentence)
      reporter.ready({
        url: gateway.url,
        token,
        demoPackUrl:
          hasDemo && providers.APP_ORIGIN ? `${providers.APP_ORIGIN}/share/packs/harbour-ep` : null,
        adminUrls,
        ffmpegPath,
        consoleUrl: adminUrls.gateway ? `${adminUrls.gateway}/console` : null,
        sandbox: {
          database: given.DATABASE_URL ? null : databaseUrl,
          core: given.CORE_BASE_URL ? null : coreUrl,
          'object store': providers.STORAGE_ENDPOINT ?? null,
          analyser: providers.MEDIA_INTELLIGENCE_URL ?? null,
          'billing provider': providers.BILLING_API_BASE ?? null,
          'e-mail outbox': providers.EMAIL_API_BASE ?? null,
          model: providers.AI_BASE_URL ?? null,
          'web app': providers.APP_ORIGIN ?? null,
          'token issuer': issuer?.jwksUrl ?? null,
          'internal token': given.INTERNAL_TOKEN ? null : join(stateDir, 'internal-token'),
          'operator token': given.OPERATORS || !adminUrls.gateway ? null : join(stateDir, 'operator-token'),
        },
      })
    }
    void gateway.exited.then(() => stop('The gateway exited. Its log says why.'))
    // Uploads the demo audio only after the banner is printed, because no part waits for it.
    if (hasDemo)
      uploadDemoMedia({ url: gateway.url, token }).catch((error: unknown) => {
        if (!stopping)
          reporter.print(`Could not upload the demo audio: ${String(error)}. The next start tries again.`)
      })
  } catch (error) {
    // Does nothing if a stop has already begun, which may be why the start failed.
    void stop(error instanceof Error ? error.message : String(error))
  }
}
