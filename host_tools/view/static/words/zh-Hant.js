// Traditional Chinese, in the words of tables in Macau and Hong Kong.

const NUMERALS = "零一二三四五六七八九十";
const numeral = (number) =>
  number <= 10 ? NUMERALS[number] : `${number < 20 ? "" : NUMERALS[Math.floor(number / 10)]}十${number % 10 ? NUMERALS[number % 10] : ""}`;
const spelled = (of) => of.split("-").map((each) => NUMERALS[each]).join("");

const AREAS = {
  small: () => "小", big: () => "大", odd: () => "單", even: () => "雙",
  triple: (of) => `圍骰 ${NUMERALS[of]}`, double: (of) => `對子 ${NUMERALS[of]}`, any_triple: () => "全圍",
  total: (of) => `${numeral(Number(of))}點`, combination: (of) => `牌九式 ${spelled(of)}`, face: (of) => `三軍 ${NUMERALS[of]}`,
  three_dice: (of) => `三粒骰 ${spelled(of)}`, four_numbers: (of) => `四號 ${spelled(of)}`,
};
const KINDS = {
  small: "小", big: "大", odd: "單", even: "雙", triple: "圍骰", double: "對子", any_triple: "全圍", total: "點數",
  combination: "牌九式", face: "三軍", three_dice: "三粒骰", four_numbers: "四號",
};
const SIDES = { small: "小", big: "大", triple: "圍骰" };

export default {
  name: "繁體中文",
  lang: "zh-Hant",
  area: (kind, selection) => AREAS[kind](selection),
  odds: (win, stake) => `${stake} 賠 ${win}`,
  call: (result) =>
    `${spelled([...result.dice].sort().join("-"))}，${numeral(result.total)}點，${SIDES[result.side]}`,

  title: "骰寶",
  table: (name) => `${name} 檯`,
  skip: "跳到本局狀態",
  language: "語言",
  colours: "顏色",
  colours_auto: "跟隨裝置",
  colours_light: "淺色",
  colours_dark: "深色",
  not_for_play: "模擬賭檯，不可用於博彩 NOT FOR PLAY",
  lost: "連線中斷。所示內容可能已過時。正在重新連線。",
  loading: "等候賭檯資料。",

  now: "本局",
  round: "局數",
  numbers: "最近輸入的三個號碼",
  no_numbers: "沒有",
  winning: "中獎位置",
  no_winning: "沒有亮燈",
  states: {
    away: "終端機沒有回應", no_run: "此賭檯的程式未在運行", fault: "賭檯故障", idle: "等候第一局", spinning: "搖骰中", settling: "骰子正在停定",
    place_bets: "請下注", no_more_bets: "停止下注", uncovered: "開蓋", result: "開彩結果", void: "本局作廢",
  },
  sides: SIDES,
  marks: { corrected: "結果已更正。", adjusted: "結果已調整。" },
  fault: (code) => `故障代號 ${code}，請通知主管。`,
  void_reasons: {
    not_flat: "有骰子未平放", opened_early: "過早開蓋", equipment: "設備故障", wrong_entry: "輸入錯誤", dispute: "爭議",
    other: "其他", power_lost: "電力中斷", fault: "故障", replaced: "終端機已更換",
  },
  void: (reason) => `作廢：${reason}。退還注碼。`,
  misfit: "本局使用的賠率表與此畫面不同，不會亮燈。",
  face: (of) => `骰子${NUMERALS[of]}`,

  layout: "賭檯佈局",
  layout_help: "方向鍵可在位置之間移動，按 Enter 選擇下注位置。",
  wins: (odds) => `中獎 ${odds}`,
  for_dice: (count, odds) => `${numeral(count)}粒 ${odds}`,
  range: (from, to) => `${from} 至 ${to} 點`,
  not_on_triple: "圍骰通殺",
  paytable: (title, status, left_out) =>
    `賠率：${title}（${{ official: "官方", published: "已公佈", secondary: "二手來源", general_practice: "一般慣例" }[status]}）。${
      left_out.length ? `不設：${left_out.map((each) => KINDS[each] ?? each).join("、")}。` : ""}`,

  road: "最近三十局",
  road_key: "小、大、圍及點數。* 表示已更正或調整，橫線表示作廢。",
  road_letters: { small: "小", big: "大", triple: "圍" },
  road_item: (round, side, total, mark) => `第 ${round} 局：${side} ${total} 點${mark ? `。${mark}` : ""}`,
  road_void: (round) => `第 ${round} 局：作廢`,
  road_empty: "尚未有完成的局。",

  figures: "實際次數與期望次數",
  figures_rounds: (count) => `此終端機全部 ${count} 局有效結果。`,
  figures_note: "p 值低只是檢驗骰子的理由，並非定論：它只適用於事先計劃好的一次檢視。",
  faces: "骰面",
  side_hits: "小、大、圍骰",
  totals: "點數",
  places: ["第一個輸入的號碼", "第二個輸入的號碼", "第三個輸入的號碼"],
  more_figures: "按輸入次序及點數",
  value: "項目",
  hits: "次數",
  expected: "期望",
  test: (chi, degrees, p) => `卡方值 ${chi}，自由度 ${degrees}，p ${p}。`,
  not_enough: (have, need) => `局數未足，未能判斷：${have} / ${need} 局。`,

  health: "終端機",
  alarm_open: "有未處理的警報，不接受投注。",
  no_alarms: "沒有未處理的警報。",
  alarm: "警報",
  alarms_note: "有未處理的警報時不接受投注，亦不結算。",
  board: {
    dev: "終端機編號", says: "狀態", status_at: "最近回報", boot: "啟動編號", started_at: "啟動時間", start_cause: "啟動原因",
    starts: "啟動次數", resets: "重設次數", faults: "故障次數", last_record_at: "最近記錄", run_since: "連接自",
  },
  none: "沒有",

  wagers: "你的投注",
  token: "憑證",
  token_help: "由莊家發出，只保存在此視窗。",
  use_token: "使用憑證",
  forget_token: "清除憑證",
  holder: (name) => `${name} 的憑證。`,
  wager_area: "位置",
  stake: "注碼",
  stake_help: "例如 5 或 2.50",
  bad_stake: "注碼須為數字，例如 5 或 2.50。",
  place: "下注",
  placed: (area, stake) => `已下注：${area} ${stake}。`,
  closed: "現時不接受投注。",
  limits: (least, most, step) =>
    [least && `最少 ${least}`, most && `最多 ${most}`, step && `每次增加 ${step}`].filter(Boolean).join("，"),
  withdraw: "取回",
  withdraw_what: (area, stake) => `取回 ${area} ${stake}`,
  withdrawn: (area, stake) => `已取回：${area} ${stake}。`,
  withdrawn_late: "取回太遲，注碼仍有效",
  no_wagers: "本局沒有投注。",
  outcomes: { open: "未結算", withdrawn: "已取回，退還注碼", win: "贏", lose: "輸", void: "作廢，退還注碼", tie: "和局，退還注碼" },
  returned: (cents) => `派回 ${cents}`,
  refused: "不接受：",
  unreachable: "伺服器沒有回應。請再試：投注不會重複。",

  orders: "主管",
  order: "指令",
  verbs: { void: "作廢此局", correct: "更正結果", clear: "清除故障" },
  reason: "原因",
  new_dice: (of) => `號碼${NUMERALS[of]}`,
  in_force: (number, record) => `第 ${number} 局，記錄 ${record}。`,
  not_by_board: (record) => `現行的是調整 ${record}，終端機不能更改。`,
  no_fault: "沒有待清除的故障。",
  nothing_in_force: "尚未有任何一局。",
  give_order: "發出指令",

  sim: "莊荷按鍵（模擬賭檯）",
  sim_keys: {
    cover_open: "開蓋", cover_shut: "合蓋", spin: "搖骰", no_more_bets: "停止下注", entry: "輸入",
    supervisor_on: "開主管鎖", supervisor_off: "關主管鎖",
  },
  key_groups: ["開關", "本局", "號碼"],
  shortcuts: "快捷鍵：C 蓋、S 搖骰、N 停止下注、1 至 6、E 輸入、U 主管鎖",
  display: "顯示屏",
  lamp: "指示燈",
  lamps: { off: "熄", on: "亮", blink: "閃" },
  in_drum: "骰盅內的骰子",
  hidden: "未能看見",
  key_failed: "模擬賭檯沒有回應。",
};
