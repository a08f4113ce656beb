import {
  type DeliveryLabel,
  deliveryLabels,
  deliveryOf,
  isDeliveryLabel,
  type SignatureScheme,
} from '#contracts/deliveries.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Row } from '#contracts/shared/row.ts'

const listSignatureHeaders = (label: DeliveryLabel): readonly (readonly string[])[] => {
  const { headers } = deliveryOf(label)
  const names = Object.keys(headers)
  const providerNames = Object.values(headers)
  return names.join() === providerNames.join() ? [names] : [names, providerNames]
}

const timestampedText =
  '`t=<seconds>,v1=<signature>`: the hexadecimal HMAC-SHA256 of `<seconds>.<raw body>`, at most 300 seconds old.'

// what each header contains, in the order of the scheme's headers
const signatureTexts: { readonly [S in SignatureScheme]: readonly string[] } = {
  stripe: [timestampedText],
  'timestamped-hmac-sha256': [timestampedText],
  'hmac-sha256': ['The hexadecimal HMAC-SHA256 of the raw body.'],
  'standard-webhooks': [
    'The id of the delivery (Standard Webhooks).',
    'When the delivery was sent, in seconds since 1970; at most 300 seconds ago (Standard Webhooks).',
    '`v1,<signature>`: the Base64 HMAC-SHA256 of `<id>.<timestamp>.<raw body>` (Standard Webhooks).',
  ],
}

const describeSignature = (label: DeliveryLabel) => {
  const { scheme } = deliveryOf(label)
  const [ours = [], ...providers] = listSignatureHeaders(label)
  const describe = (name: string, description = '') => [
    name,
    { type: 'apiKey', in: 'header', name, description },
  ]
  return [
    ...ours.map((name, index) => describe(name, signatureTexts[scheme][index])),
    ...providers.flatMap((names) =>
      names.map((name, index) => describe(name, `The same as \`${ours[index]}\`.`)),
    ),
  ]
}

const actor = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'The access token of an account, signed by the configured issuer.',
}

const internal = { type: 'http', scheme: 'bearer', description: 'The token for the internal routes.' }

export const describeSecuritySchemes = (hasInternalRoutes: boolean) => ({
  actor,
  ...Object.fromEntries(deliveryLabels.flatMap(describeSignature)),
  ...(hasInternalRoutes ? { internal } : {}),
})

export const defaultSecurity = [{ actor: [] }]

/** Any of the credentials is enough; `{}` means that none are needed. Omitted if they are the default. */
export const describeSecurity = (label: Label, { auth }: Row) => {
  if (auth === 'public') return { security: [] }
  if (isDeliveryLabel(label)) {
    return {
      security: listSignatureHeaders(label).map((names) =>
        Object.fromEntries(names.map((name) => [name, []])),
      ),
    }
  }
  if (auth === 'internal') return { security: [{ internal: [] }] }
  return auth === 'actor?' ? { security: [...defaultSecurity, {}] } : {}
}
