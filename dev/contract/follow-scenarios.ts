import type { ComparisonOptions } from '#migration/parity/run/compare-deployments.ts'
import type { createProgress } from '../progress.ts'

const part = 'Scenarios'

export const followScenarios = <T>(
  { follow, update }: Pick<ReturnType<typeof createProgress>, 'follow' | 'update'>,
  compare: (createProgress: ComparisonOptions['createProgress']) => Promise<T>,
): Promise<T> =>
  follow(
    part,
    compare((total) => (done, differing) => {
      const suffix = differing > 0 ? `, ${differing} differ` : ''
      update(part, `${done} of ${total}${suffix}`)
    }),
  )
