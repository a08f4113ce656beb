import { startSandboxCore } from '#dev/sandbox/core/start-core.ts'
import { type RawCore, startRawCore } from './raw-core.ts'

interface TestCore {
  /** Null without a core. */
  readonly coreUrl: string | null
  readonly rawCore: RawCore | null
  /** Stops the core. A second call does nothing. */
  stopCore(): Promise<void>
}

export const startTestCore = async (
  kind: 'sandbox' | 'recording' | 'none',
  environment: NodeJS.ProcessEnv,
): Promise<TestCore> => {
  const sandboxCore = kind === 'sandbox' ? await startSandboxCore(environment) : null
  const rawCore = kind === 'recording' ? await startRawCore() : null
  const core = sandboxCore ?? rawCore
  let isRunning = true
  return {
    coreUrl: core?.url ?? null,
    rawCore,
    async stopCore() {
      if (isRunning) await core?.close()
      isRunning = false
    },
  }
}
