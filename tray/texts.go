package tray

// Msg names one text for people. What it says stands in the table below; a verb in it (%s, %d) takes the
// arguments of [Lang.Text].
type Msg uint8

// The texts, by where they appear.
const (
	// The menu and the icon.
	MsgAttention Msg = iota
	MsgOccupied
	MsgAmbiguous
	MsgRecent
	MsgOpenBerth
	MsgQuit
	MsgTipAttention
	MsgTipOccupied
	MsgTipAmbiguous
	MsgTipQuiet
	MsgTipOffline
	MsgSessions

	// A Status, and what may stand in its place.
	MsgStatusOccupied
	MsgStatusStale
	MsgStatusActive
	MsgStatusClosed
	MsgStatusArchived
	MsgStatusWaiting

	// Notes of a word or two, for a row.
	MsgTagWaiting
	MsgTagBusy
	MsgTagDeadLock
	MsgTagInterrupted
	MsgTagAbandoned
	MsgTagTwoWriters
	MsgTagDamaged
	MsgTagDuplicate
	MsgTagAmbiguous
	MsgTagLinked
	MsgTagFolderMissing
	MsgTagOrphan
	MsgTagNotIndexed
	MsgPID
	MsgOnlyPID

	// Reasons and facts as sentences.
	MsgWhyLock
	MsgWhyOpenTurn
	MsgWhyDeadLock
	MsgWhyInterrupted
	MsgWhyAbandoned
	MsgFactAmbiguous
	MsgFactBusy
	MsgFactWaiting
	MsgFactDamaged
	MsgFactDuplicate
	MsgFactTwoWriters
	MsgFactOrphan
	MsgFactNotIndexed
	MsgFactFolderMissing
	MsgFactLinked

	// How a holder is known, and whether it lives.
	MsgViaLock
	MsgViaTempName
	MsgViaServer
	MsgViaOnlyCandidate
	MsgViaOneOf
	MsgVerdictLive
	MsgVerdictDead
	MsgVerdictUnknown

	// Times.
	MsgJustNow
	MsgMinutesAgo
	MsgHoursAgo
	MsgDaysAgo

	// The window's list.
	MsgSearch
	MsgColStatus
	MsgColTitle
	MsgColProject
	MsgColClient
	MsgColActivity
	MsgViewOpen
	MsgViewAttention
	MsgViewAmbiguous
	MsgViewAll
	MsgAllSources
	MsgAllProjects
	MsgHideWindow
	MsgView
	MsgFind
	MsgShowOpen

	// The status line.
	MsgShown
	MsgRevision
	MsgOwnService
	MsgRemoteService
	MsgOffline
	MsgNoBus
	MsgNoTrayHost

	// Empty states.
	MsgEmptyOffline
	MsgEmptyOfflineHint
	MsgEmptyLoading
	MsgEmptyLoadingHint
	MsgEmptyStores
	MsgEmptyStoresHint
	MsgEmptySessions
	MsgEmptySessionsHint
	MsgEmptyOpen
	MsgEmptyOpenHint
	MsgEmptyFilter
	MsgEmptyFilterHint
	MsgEmptySelection

	// The details.
	MsgSecWhy
	MsgSecHolder
	MsgSecProblems
	MsgSecSession
	MsgSecWork
	MsgSecFamily
	MsgSecCandidates
	MsgFieldProject
	MsgFieldFolder
	MsgFieldClient
	MsgFieldAgent
	MsgFieldAgents
	MsgFieldSource
	MsgFieldCreated
	MsgFieldActivity
	MsgFieldEnded
	MsgFieldArchived
	MsgFieldID
	MsgFieldPath
	MsgFieldWord
	MsgFieldProcess
	MsgFieldHost
	MsgFieldSince
	MsgFieldVerdict
	MsgFieldVia
	MsgFieldBusy
	MsgFieldPending
	MsgFieldLastTurn
	MsgFieldParent
	MsgFieldForkedFrom
	MsgFieldChild
	MsgFieldFork
	MsgNotInStore
	MsgYes
	MsgNo
	MsgPendingApproval
	MsgPendingQuestion
	MsgTurnCompleted
	MsgTurnCancelled
	MsgTurnFailed

	// Actions, and why one cannot be taken.
	MsgClose
	MsgResume
	MsgCopyID
	MsgOpenFolder
	MsgNoOffline
	MsgNoCloseKimi
	MsgNoCloseClosed
	MsgNoCloseLinked
	MsgNoCloseDamaged
	MsgNoDuplicate
	MsgNoResumeHeld
	MsgNoResumeHeldBy
	MsgNoResumeFolder
	MsgNoResumeClosed
	MsgNoID
	MsgNoFolder

	// Dialogs.
	MsgCloseTitle
	MsgCloseSummary
	MsgClosePreview
	MsgClosePreparing
	MsgCloseConfirm
	MsgCancel
	MsgOK
	MsgWarning
	MsgWhatToDo
	MsgCopied
	MsgResumed
	MsgChooseFolder
	MsgNeedFolder
	MsgErrNotFound
	MsgErrOccupied
	MsgErrAmbiguous
	MsgErrStale
	MsgErrClosed
	MsgErrRefused
	MsgErrOther

	msgCount
)

// phrase is one text in each language. one is the English form for exactly one thing, where it differs.
type phrase struct{ en, one, zh string }

var texts = [msgCount]phrase{
	MsgAttention:    {en: "Needs attention (%d)", zh: "需要处理（%d）"},
	MsgOccupied:     {en: "Occupied (%d)", zh: "占用中（%d）"},
	MsgAmbiguous:    {en: "Ambiguous (%d)", zh: "无法区分（%d）"},
	MsgRecent:       {en: "Recent", zh: "最近"},
	MsgOpenBerth:    {en: "Open berth", zh: "打开 berth"},
	MsgQuit:         {en: "Quit", zh: "退出"},
	MsgTipAttention: {en: "%d need attention", one: "%d needs attention", zh: "%d 个需要处理"},
	MsgTipOccupied:  {en: "%d occupied", zh: "%d 个占用中"},
	MsgTipAmbiguous: {en: "%d ambiguous", zh: "%d 个无法区分"},
	MsgTipQuiet:     {en: "nothing needs you", zh: "没有需要处理的会话"},
	MsgTipOffline:   {en: "offline", zh: "离线"},
	MsgSessions:     {en: "%d sessions", one: "%d session", zh: "%d 个会话"},

	MsgStatusOccupied: {en: "Occupied", zh: "占用中"},
	MsgStatusStale:    {en: "Stale", zh: "已失效"},
	MsgStatusActive:   {en: "Active", zh: "进行中"},
	MsgStatusClosed:   {en: "Closed", zh: "已结束"},
	MsgStatusArchived: {en: "Archived", zh: "已归档"},
	MsgStatusWaiting:  {en: "Waiting for you", zh: "等待答复"},

	MsgTagWaiting:       {en: "waits for you", zh: "等待您的答复"},
	MsgTagBusy:          {en: "busy", zh: "工作中"},
	MsgTagDeadLock:      {en: "dead lock", zh: "残留的锁"},
	MsgTagInterrupted:   {en: "interrupted", zh: "中途中断"},
	MsgTagAbandoned:     {en: "left open", zh: "久未结束"},
	MsgTagTwoWriters:    {en: "two writers", zh: "两方写入"},
	MsgTagDamaged:       {en: "damaged", zh: "已损坏"},
	MsgTagDuplicate:     {en: "duplicate id", zh: "编号重复"},
	MsgTagAmbiguous:     {en: "ambiguous", zh: "无法区分"},
	MsgTagLinked:        {en: "linked", zh: "已关联"},
	MsgTagFolderMissing: {en: "folder missing", zh: "目录缺失"},
	MsgTagOrphan:        {en: "parent missing", zh: "父会话缺失"},
	MsgTagNotIndexed:    {en: "not indexed", zh: "未入索引"},
	MsgOnlyPID:          {en: "pid %d", zh: "进程 %d"},
	MsgPID:              {en: "%s, pid %d", zh: "%s，进程 %d"},

	MsgWhyLock:           {en: "A lock is on it, and its holder is not known to be gone.", zh: "会话上有锁，且无法证明持有者已退出。"},
	MsgWhyOpenTurn:       {en: "A turn is open in it, and a process that may be writing it lives.", zh: "有一轮对话未结束，且可能正在写入的进程仍在运行。"},
	MsgWhyDeadLock:       {en: "Its lock belongs to a process that is gone.", zh: "锁的持有进程已不存在。"},
	MsgWhyInterrupted:    {en: "It ends in the middle of a turn, and no process is left to finish it.", zh: "对话在一轮中途停止，且没有进程会继续完成。"},
	MsgWhyAbandoned:      {en: "It is still marked active, but nothing has happened in it for long.", zh: "仍标记为进行中，但已很久没有活动。"},
	MsgFactAmbiguous:     {en: "A client that ends “its” session without naming it would match this one and others.", zh: "客户端不指明会话就结束时，会同时匹配到这一个和其他会话。"},
	MsgFactBusy:          {en: "A turn is running.", zh: "正在执行一轮对话。"},
	MsgFactWaiting:       {en: "It waits for your answer.", zh: "正在等待您的答复。"},
	MsgFactDamaged:       {en: "A part of it cannot be read.", zh: "部分内容无法读取。"},
	MsgFactDuplicate:     {en: "Another session carries the same id.", zh: "另有会话使用相同的编号。"},
	MsgFactTwoWriters:    {en: "Turns of two writers are mixed in it.", zh: "其中混有两方写入的对话。"},
	MsgFactOrphan:        {en: "Its parent session is missing.", zh: "它的父会话不存在。"},
	MsgFactNotIndexed:    {en: "The client's own index does not name it.", zh: "客户端自己的索引中没有它。"},
	MsgFactFolderMissing: {en: "Its work folder is not there.", zh: "它的工作目录不存在。"},
	MsgFactLinked:        {en: "It is linked to coordinated work, so berth only reads it.", zh: "它与协同任务关联，berth 只读取。"},

	MsgViaLock:          {en: "its lock file", zh: "锁文件"},
	MsgViaTempName:      {en: "the name of a temporary file it wrote", zh: "它写入的临时文件名"},
	MsgViaServer:        {en: "the server running on this store", zh: "正在服务此存储的服务器"},
	MsgViaOnlyCandidate: {en: "the only client at work in the folder", zh: "该目录中唯一的客户端"},
	MsgViaOneOf:         {en: "one of several that could be it", zh: "几个可能的进程之一"},
	MsgVerdictLive:      {en: "running", zh: "运行中"},
	MsgVerdictDead:      {en: "gone", zh: "已退出"},
	MsgVerdictUnknown:   {en: "cannot be known", zh: "无法判断"},

	MsgJustNow:    {en: "just now", zh: "刚刚"},
	MsgMinutesAgo: {en: "%d min ago", zh: "%d 分钟前"},
	MsgHoursAgo:   {en: "%d h ago", zh: "%d 小时前"},
	MsgDaysAgo:    {en: "%d days ago", one: "%d day ago", zh: "%d 天前"},

	MsgSearch:        {en: "Search titles, folders, clients, ids", zh: "搜索标题、目录、客户端、编号"},
	MsgColStatus:     {en: "Status", zh: "状态"},
	MsgColTitle:      {en: "Title", zh: "标题"},
	MsgColProject:    {en: "Project", zh: "项目"},
	MsgColClient:     {en: "Client", zh: "客户端"},
	MsgColActivity:   {en: "Last activity", zh: "最近活动"},
	MsgViewOpen:      {en: "Open", zh: "未结束"},
	MsgViewAttention: {en: "Needs attention", zh: "需要处理"},
	MsgViewAmbiguous: {en: "Ambiguous", zh: "无法区分"},
	MsgHideWindow:    {en: "Close window", zh: "关闭窗口"},
	MsgView:          {en: "View", zh: "查看"},
	MsgFind:          {en: "Search", zh: "搜索"},
	MsgShowOpen:      {en: "All open sessions", zh: "全部未结束的会话"},
	MsgViewAll:       {en: "Everything", zh: "全部"},
	MsgAllSources:    {en: "All sources", zh: "全部来源"},
	MsgAllProjects:   {en: "All projects", zh: "全部项目"},

	MsgShown:         {en: "%d of %d sessions", zh: "显示 %d / %d 个会话"},
	MsgRevision:      {en: "revision %d", zh: "修订 %d"},
	MsgOwnService:    {en: "watching", zh: "监视中"},
	MsgRemoteService: {en: "connected to the running service", zh: "已连接到运行中的服务"},
	MsgOffline:       {en: "offline: %s", zh: "离线：%s"},
	MsgNoBus:         {en: "no session bus, so there is no icon in the panel; closing the window quits", zh: "没有会话总线，面板上不显示图标；关闭窗口即退出"},
	MsgNoTrayHost:    {en: "the desktop shows no tray icons; closing the window quits", zh: "桌面不显示托盘图标；关闭窗口即退出"},

	MsgEmptyOffline:      {en: "The service does not answer", zh: "服务没有响应"},
	MsgEmptyOfflineHint:  {en: "%s\nIt is tried again by itself.", zh: "%s\n会自动重试。"},
	MsgEmptyLoading:      {en: "Looking for sessions…", zh: "正在查找会话…"},
	MsgEmptyLoadingHint:  {en: "The stores are being read for the first time.", zh: "正在首次读取存储。"},
	MsgEmptyStores:       {en: "No store was found", zh: "没有找到存储"},
	MsgEmptyStoresHint:   {en: "berth looks for a Kimi home (KIMI_CODE_HOME, else the default folder) and for note vaults\n(KIOKU_VAULT_PATH, Obsidian's list of vaults, the configuration file).\n“berth doctor” says what was looked at.", zh: "berth 会查找 Kimi 目录（KIMI_CODE_HOME 或默认目录）以及笔记库\n（KIOKU_VAULT_PATH、Obsidian 的库列表、配置文件）。\n“berth doctor” 会列出查找过的位置。"},
	MsgEmptySessions:     {en: "No sessions yet", zh: "还没有会话"},
	MsgEmptySessionsHint: {en: "A session appears here as soon as a client writes one.\nWatching:\n%s", zh: "客户端写入会话后，会立即显示在这里。\n正在监视：\n%s"},
	MsgEmptyOpen:         {en: "No session is open", zh: "没有未结束的会话"},
	MsgEmptyOpenHint:     {en: "All %d are closed or archived; choose “Everything” above to see them.", zh: "全部 %d 个会话均已结束或归档；在上方选择“全部”即可查看。"},
	MsgEmptyFilter:       {en: "Nothing matches", zh: "没有匹配的会话"},
	MsgEmptyFilterHint:   {en: "Press Escape to see all open sessions again.", zh: "按 Esc 重新显示全部未结束的会话。"},
	MsgEmptySelection:    {en: "Select a session to see who holds it and why berth thinks so.", zh: "选择一个会话，查看由谁占用及判断依据。"},

	MsgSecWhy:          {en: "Why", zh: "原因"},
	MsgSecHolder:       {en: "Holder", zh: "占用者"},
	MsgSecProblems:     {en: "Problems", zh: "问题"},
	MsgSecSession:      {en: "Session", zh: "会话"},
	MsgSecWork:         {en: "Work", zh: "工作"},
	MsgSecFamily:       {en: "Related sessions", zh: "相关会话"},
	MsgSecCandidates:   {en: "Cannot be told apart from", zh: "无法与之区分"},
	MsgFieldProject:    {en: "Project", zh: "项目"},
	MsgFieldFolder:     {en: "Folder", zh: "目录"},
	MsgFieldClient:     {en: "Client", zh: "客户端"},
	MsgFieldAgent:      {en: "Agent", zh: "智能体"},
	MsgFieldAgents:     {en: "Agents", zh: "智能体数"},
	MsgFieldSource:     {en: "Source", zh: "来源"},
	MsgFieldCreated:    {en: "Created", zh: "创建"},
	MsgFieldActivity:   {en: "Last activity", zh: "最近活动"},
	MsgFieldEnded:      {en: "Ended", zh: "结束"},
	MsgFieldArchived:   {en: "Archived", zh: "归档"},
	MsgFieldID:         {en: "Id", zh: "编号"},
	MsgFieldPath:       {en: "Path", zh: "路径"},
	MsgFieldWord:       {en: "Status in the note", zh: "笔记中的状态"},
	MsgFieldProcess:    {en: "Process", zh: "进程"},
	MsgFieldHost:       {en: "Host", zh: "主机"},
	MsgFieldSince:      {en: "Since", zh: "自"},
	MsgFieldVerdict:    {en: "State", zh: "状态"},
	MsgFieldVia:        {en: "Known by", zh: "依据"},
	MsgFieldBusy:       {en: "Turn running", zh: "正在执行"},
	MsgFieldPending:    {en: "Waits for", zh: "等待"},
	MsgFieldLastTurn:   {en: "Last turn", zh: "上一轮"},
	MsgFieldParent:     {en: "Parent", zh: "父会话"},
	MsgFieldForkedFrom: {en: "Forked from", zh: "分支自"},
	MsgFieldChild:      {en: "Child", zh: "子会话"},
	MsgFieldFork:       {en: "Fork", zh: "分支"},
	MsgNotInStore:      {en: "%s (not in any store)", zh: "%s（不在任何存储中）"},
	MsgYes:             {en: "yes", zh: "是"},
	MsgNo:              {en: "no", zh: "否"},
	MsgPendingApproval: {en: "an approval", zh: "批准"},
	MsgPendingQuestion: {en: "an answer to a question", zh: "回答问题"},
	MsgTurnCompleted:   {en: "completed", zh: "已完成"},
	MsgTurnCancelled:   {en: "cancelled", zh: "已取消"},
	MsgTurnFailed:      {en: "failed", zh: "失败"},

	MsgClose:          {en: "Close…", zh: "结束…"},
	MsgResume:         {en: "Resume", zh: "继续"},
	MsgCopyID:         {en: "Copy id", zh: "复制编号"},
	MsgOpenFolder:     {en: "Open folder", zh: "打开目录"},
	MsgNoOffline:      {en: "The service does not answer.", zh: "服务没有响应。"},
	MsgNoCloseKimi:    {en: "Only work sessions in a vault are closed.", zh: "只有笔记库中的工作会话可以结束。"},
	MsgNoCloseClosed:  {en: "It is not open.", zh: "它不是进行中的会话。"},
	MsgNoCloseLinked:  {en: "It is linked to coordinated work; its own client must end it.", zh: "它与协同任务关联，须由其客户端结束。"},
	MsgNoCloseDamaged: {en: "A part of it cannot be read, so nothing is written to it.", zh: "部分内容无法读取，因此不写入。"},
	MsgNoDuplicate:    {en: "Another session carries the same id.", zh: "另有会话使用相同的编号。"},
	MsgNoResumeHeld:   {en: "It is occupied.", zh: "它正被占用。"},
	MsgNoResumeHeldBy: {en: "%s has it.", zh: "正被 %s 占用。"},
	MsgNoResumeFolder: {en: "Its folder is not there: %s", zh: "它的目录不存在：%s"},
	MsgNoResumeClosed: {en: "It is closed.", zh: "它已结束。"},
	MsgNoID:           {en: "It has no id.", zh: "它没有编号。"},
	MsgNoFolder:       {en: "Its folder is not there.", zh: "它的目录不存在。"},

	MsgCloseTitle:     {en: "Close “%s”", zh: "结束“%s”"},
	MsgCloseSummary:   {en: "Summary, one line (optional)", zh: "一行摘要（可选）"},
	MsgClosePreview:   {en: "This is what will be written to %s", zh: "将写入 %s 的内容"},
	MsgClosePreparing: {en: "Reading the note…", zh: "正在读取笔记…"},
	MsgCloseConfirm:   {en: "Close session", zh: "结束会话"},
	MsgCancel:         {en: "Cancel", zh: "取消"},
	MsgOK:             {en: "OK", zh: "确定"},
	MsgWarning:        {en: "Note: %s", zh: "注意：%s"},
	MsgWhatToDo:       {en: "What to do: %s", zh: "建议：%s"},
	MsgCopied:         {en: "Copied %s", zh: "已复制 %s"},
	MsgResumed:        {en: "Opened “%s” in a terminal", zh: "已在终端中打开“%s”"},
	MsgNeedFolder:     {en: "The folder of project “%s” is not known. Choose it once; berth remembers it.", zh: "项目“%s”的目录未知。请选择一次，berth 会记住它。"},
	MsgChooseFolder:   {en: "Choose folder…", zh: "选择目录…"},
	MsgErrNotFound:    {en: "The session is not there any more", zh: "会话已不存在"},
	MsgErrOccupied:    {en: "Somebody has this session", zh: "会话正被占用"},
	MsgErrAmbiguous:   {en: "More than one session matches", zh: "匹配到多个会话"},
	MsgErrStale:       {en: "The session changed meanwhile", zh: "会话在此期间发生了变化"},
	MsgErrClosed:      {en: "The session is already closed", zh: "会话已经结束"},
	MsgErrRefused:     {en: "This was refused, to be safe", zh: "为安全起见已拒绝"},
	MsgErrOther:       {en: "That did not work", zh: "操作没有成功"},
}
