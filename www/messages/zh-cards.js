// 各种注意力逐一说明的文字：计算什么、看什么、代价多少。

/** @type {Record<string, import("./index.js").Message>} */
export const cardMessages = {
  "cards.title": "逐一看各种注意力",
  "cards.lead":
    "每一种计算什么、看什么、代价多少：都按一层计，采用上面选择的选项和大小。得分的公式是对一个头写的，根号下的 d 是一个头的宽度。",
  "cards.counted":
    "一次乘加是两个数相乘并计入求和。这里统计的是对一段占满模型长度的文本做一次前向计算；缩放、softmax、除法和激活函数不计。与文本无关的表对整批只算一次；本页的卷积还会多乘一些零。",
  "cards.all": "全部 {kinds} 种",
  "cards.chosen": "只看所选的",

  "card.sees": "权重取决于",
  "card.sees.nothing": "只取决于位置，与词元无关",
  "card.sees.token": "一个词元和位置",
  "card.sees.token-pair": "两个词元的比较",
  "card.takes": "一个词元取自",
  "card.takes.all": "它能看到的所有词元",
  "card.takes.window": "相邻 {window} 个词元的窗口",
  "card.writes": "用于解码器",
  "card.writes.yes": "可以：能遮住后面的内容",
  "card.writes.no": "不可以：它要一次看到整段文本，因此不用于{tasks}",
  "card.weights": "参数",
  "card.weights.now": "按你的设置：{weights} 个",
  "card.weights.frozen": "按你的设置：{weights} 个，其中的表抽取一次后不再训练",
  "card.products": "乘加运算",
  "card.products.now": "按你的设置：每段文本 {products}次",
  "card.letters": "大小",
  "card.letter.n": "文本的词元数",
  "card.letter.d": "宽度",
  "card.letter.h": "头数",
  "card.letter.k": "秩",
  "card.letter.m": "每个头的隐藏宽度",
  "card.letter.a": "第一个因子",
  "card.letter.b": "第二个因子",
  "card.letter.w": "窗口",
  "card.letter.r": "摘要数",
  "card.letter.t": "沿文本的隐藏宽度",
  "card.letter.g": "混合权重的组数",
  "card.letter": "{letter} = {value}，{meaning}",
  "card.source": "出处",
  "kind.card.costs": "按你的设置，每层 {weights} 个参数，每段文本 {products}次乘加运算。",
};
