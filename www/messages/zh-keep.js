// 关于保存在浏览器里的比较的文字。

/** @type {Record<string, import("./index.js").Message>} */
export const keepMessages = {
  "ago.now": "刚才",

  "keep.offers": "以前的比较",
  "keep.unfinished": "在{data}上对 {count} 种注意力的比较停在第 {step} 步，共 {steps} 步，{ago}。",
  "keep.begun": "在{data}上对 {count} 种注意力的比较刚开始就停了，共 {steps} 步，{ago}。",
  "keep.finished": "在{data}上对 {count} 种注意力的比较已完成，{steps} 步，{ago}。",
  "keep.own": "你自己的数据",
  "keep.resume": "继续",
  "keep.show": "显示",
  "keep.discard": "丢弃",
  "keep.older": "更早的 {count} 次",
  "keep.kept": "已保存在这个浏览器里，到第 {step} 步，{time}：刷新或崩溃后，本页可以从这里继续。",
  "keep.keptDone": "已保存在这个浏览器里：刷新后，本页可以重新显示它。",

  "keep.trouble.storage-unavailable":
    "这次比较无法保存：浏览器不为本页存储数据（{reason}），例如某些隐私窗口，或禁用了网站数据。只要标签页开着，它就在。",
  "keep.trouble.storage-full": "没有空间保存这次比较{size}。请腾出一些磁盘空间。",
  "keep.trouble.size": "（{size}）",
  "keep.trouble.other": "这次比较无法保存：{reason}。",
  "keep.trouble.before": "保存到第 {step} 步的内容还在。",
  "keep.trouble.do": "为保险起见，请下载模型；以后可以在这里重新打开。",
  "keep.trouble.download": "下载{kind}",
  "keep.trouble.close": "关闭",
};
