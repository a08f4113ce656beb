export const exampleIds = {
  account: 'acct_8c1f4b',
  guest: 'acct_2d9e7a',
  track: 'trk_5b8e6a01',
  version: 'ver_93c7f0e4',
  asset: 'ast_1c84e95f',
  upload: 'upl_6f0b3c91',
  link: 'lnk_30d7f85c',
  library: 'lib_e8a54d71',
  share: 'shr_47c1a0e9',
  pack: 'pck_d15f62a8',
  stem: 'stm_f7308ab6',
  dispatch: 'dsp_2e9d04c7',
  event: 'evt_8f60d2c5',
  thread: 'thr_b91d3f70',
  message: 'msg_05e8c6d4',
  slug: 'harbour-ep',
  token: 'q3Zt8mVb1xKpR5nYc7WfLd2HsJ9uEaG4oTi6BvXzQ0M',
} as const

export const exampleTime = '2026-10-29T09:30:00.000Z'
export const exampleExpiry = '2026-10-29T10:30:00.000Z'
