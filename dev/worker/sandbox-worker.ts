import {
  exitOnFailure,
  openProcessLog,
  readSettingsOrExit,
  shutDownOnSignal,
} from '#bin/process/lifecycle.ts'
import { prepareDatabase } from '#bin/process/prepare-database.ts'
import { formatListeningUrl } from '#gateway/settings/listeners.ts'
import type { Variables } from '#gateway/settings/read-environment.ts'
import { readWorkerSettings } from '#gateway/settings/settings.ts'
import { sendToParent } from '#shared/processes/child-process.ts'
import { findPort } from '../start/ports.ts'
import { bundleWorker } from './bundle-worker.ts'
import { startWorkerRuntime } from './worker-runtime.ts'

// The real address is known only once the port has been chosen.
const anyAddress = 'http://127.0.0.1'

const readBindings = (environment: Variables) => {
  const publicBaseUrl = environment.PUBLIC_BASE_URL || null
  const settings = readWorkerSettings({ ...environment, PUBLIC_BASE_URL: publicBaseUrl ?? anyAddress })
  // Passes on only the settings, because this process's environment also has variables that the Worker must not read.
  const variables = Object.entries(environment).flatMap(([name, value]) =>
    name in settings && value ? [[name, value] as const] : [],
  )
  return { settings, publicBaseUrl, variables: Object.fromEntries(variables) }
}

const start = async () => {
  const { settings, publicBaseUrl, variables } = await readSettingsOrExit(readBindings)
  const { log } = openProcessLog(settings)
  await prepareDatabase(settings, log)
  const { HOST: host } = settings
  // Finds the port first: the runtime does not say why it cannot listen, and the Worker needs its address at the start.
  const port = await findPort({ host, port: settings.PORT, settings: { host: 'HOST', port: 'PORT' } })
  const url = formatListeningUrl(host, port)
  const { DATABASE_URL: databaseUrl, ...bindings } = variables
  const { modules } = await bundleWorker('dev/worker/sandbox-entry.ts')
  const runtime = startWorkerRuntime(modules, {
    host,
    port,
    bindings: {
      ...bindings,
      PUBLIC_BASE_URL: publicBaseUrl ?? url,
      SANDBOX_TOKEN_URL: process.env.SANDBOX_TOKEN_URL ?? '',
    },
    hyperdrives: { HYPERDRIVE: databaseUrl ?? '' },
    onLogLine: (line) => process.stdout.write(`${line}\n`),
  })
  shutDownOnSignal(log, () => runtime.dispose())
  await runtime.ready
  log.info({ url, adminUrl: null }, 'gateway started')
  // `start/start-child.ts` waits for this message.
  sendToParent({ url, adminUrl: null })
}

await start().catch(exitOnFailure('gateway'))
